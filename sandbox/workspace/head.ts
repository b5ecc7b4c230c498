// Reads the HEAD of a workspace's repository, and a mark that tells without git whether HEAD may have moved.
import { constants, lstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Head } from "../../shared/look.ts";
import type { Folder } from "./folder.ts";
import { repositoryEnvironment } from "./repository.ts";

/** undefined if there is no repository, or it has no commit. */
export async function headOf(folder: Folder): Promise<Head | undefined> {
  const repository = await folder.repository();
  if (!repository) return undefined;
  const env = { ...repositoryEnvironment(repository, folder.root), GIT_ALLOW_PROTOCOL: "none" };
  const accept = [0, 1, 128, 129];
  const [log, branch] = await folder.snapshots.store.runner.all([
    { args: ["log", "-1", "--format=%h %s"], env, accept },
    { args: ["symbolic-ref", "--short", "--quiet", "HEAD"], env, accept },
  ]);
  if (log?.exitCode !== 0) return undefined;
  const name = branch?.exitCode === 0 ? branch.stdout.trim() : "";
  return { branch: name === "" ? null : name, commit: log.stdout.trim() };
}

/** More than any branch name that a file system accepts. */
const maxHeadBytes = 4_096;

/** The branch that HEAD is on, read without git; undefined if there is none. */
export async function branchOf(folder: Folder): Promise<string | undefined> {
  const repository = await folder.repository();
  if (!repository) return undefined;
  const handle = await open(
    join(repository.gitDir, "HEAD"),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0);
    return /^ref: refs\/heads\/([^\n]+)\n?$/.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
  } finally {
    await handle.close();
  }
}

/**
 * Changes with every commit and every switch of branches, because git then writes one or both of these files.
 */
export async function headMark(folder: Folder): Promise<string> {
  const { gitDir = "" } = (await folder.repository()) ?? {};
  if (gitDir === "") return "";
  return ["HEAD", "logs/HEAD"]
    .map((name) => lstatSync(join(gitDir, name), { throwIfNoEntry: false, bigint: true }))
    .map((found) => (found ? `${found.ino}:${found.mtimeNs}:${found.size}` : "none"))
    .join(" ");
}
