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
  const text = await partOf(join(repository.gitDir, "HEAD"), 0, maxHeadBytes);
  return /^ref: refs\/heads\/([^\n]+)\n?$/.exec(text)?.[1];
}

/** At most `bytes` of a file of git's, from byte `from` on; "" if there is no such file. Never follows a link. */
async function partOf(path: string, from: number, bytes: number): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (handle === undefined) return "";
  try {
    if (!(await handle.stat()).isFile()) return "";
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

export interface HeadMark {
  /**
   * Changes with every commit and every switch of branches, because git then writes one or both of the files.
   */
  mark: string;
  /** How long git's log of HEAD is. */
  logBytes: number;
}

export async function headMark(folder: Folder): Promise<HeadMark> {
  const { gitDir = "" } = (await folder.repository()) ?? {};
  if (gitDir === "") return { mark: "", logBytes: 0 };
  const [head, log] = ["HEAD", "logs/HEAD"].map((name) =>
    lstatSync(join(gitDir, name), { throwIfNoEntry: false, bigint: true }),
  );
  const mark = [head, log].map((found) => (found ? `${found.ino}:${found.mtimeNs}:${found.size}` : "none"));
  return { mark: mark.join(" "), logBytes: Number(log?.size ?? 0) };
}

/** Of thousands of moves at once, the last ones count. */
const maxLogBytes = 256 * 1_024;
/** A line of git's log of HEAD: the ids before and after, who and when, and what moved it (gitglossary, "reflog"). */
const logLine = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t\n]*\t(.*)$/gm;
const makesCommit =
  /^(?:commit|cherry-pick|revert|am|rebase \((?:pick|squash|fixup|reword|edit|continue))\b|: Merge made/;
const takesBack = /^(?:reset|undo)\b/;

/** How HEAD moved. All ids are full. */
export interface HeadMoves {
  /** HEAD before and after. */
  from: string;
  to: string;
  /** The newest commit that was made; null = commits were taken back after it; undefined = neither happened. */
  made?: string | null | undefined;
}

/** What git logged for HEAD between these bytes of its log; undefined = nothing. */
export async function movesLogged(
  folder: Folder,
  start: number,
  end: number,
): Promise<HeadMoves | undefined> {
  const { gitDir = "" } = (await folder.repository()) ?? {};
  const log =
    gitDir === ""
      ? ""
      : await partOf(join(gitDir, "logs", "HEAD"), Math.max(start, end - maxLogBytes), maxLogBytes);
  let moves: HeadMoves | undefined;
  for (const [, before = "", to = "", what = ""] of log.matchAll(logLine)) {
    moves = { ...(moves ?? { from: before }), to };
    if (makesCommit.test(what)) moves.made = to;
    else if (takesBack.test(what) && before !== to) moves.made = null;
  }
  return moves;
}
