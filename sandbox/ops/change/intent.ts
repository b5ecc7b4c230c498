// What a change means to do to the workspace, as it stands on disk while it does it, and how a server that starts
// finishes or undoes what the last one had begun.
import { createHash } from "node:crypto";
import { readdir, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { readIfThere } from "../../files.ts";
import { openFolder } from "../../paths/inside.ts";
import { removeEmptyFolders } from "./new-folders.ts";

/**
 * `before` and `after`: SHA-256 of the contents, null = no file. `temporary`: name of the new content beside the file.
 * `folders`: those that the change makes, the deepest first.
 */
export const Intent = z.object({
  state: z.enum(["writing", "committed"]),
  files: z.array(
    z.object({
      path: z.string(),
      before: z.nullable(z.string()),
      after: z.nullable(z.string()),
      temporary: z.string(),
    }),
  ),
  folders: z._default(z.array(z.string()), []),
});
export type Intent = z.infer<typeof Intent>;

type IntentFile = Intent["files"][number];

/** Finishes every change that was committed and not complete, and removes what an earlier one left. */
export async function recoverIntents(root: string, dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    try {
      const bytes = await readIfThere(path);
      if (bytes && name.endsWith(".json"))
        await recover(root, z.parse(Intent, JSON.parse(bytes.toString("utf8"))));
    } catch {
      // A torn intent: its change had not begun.
    }
    await rm(path, { force: true });
  }
}

/**
 * What somebody has saved since is theirs and stays. The others are brought to one side: to the new one where a file
 * is there already, for what it replaced is gone; else the change is not forced upon a folder that has gone on.
 */
async function recover(root: string, intent: Intent): Promise<void> {
  const found = await Promise.all(intent.files.map((file) => standingOf(root, file)));
  const forward = intent.state === "committed" && (found.includes("new") || !found.includes("other"));
  const keep = new Set(intent.files.flatMap(({ after }, index) => (found[index] === "other" ? [after] : [])));
  for (const file of intent.files) {
    // The new place of what was to move is taken: deleting the old one would lose it.
    const finish = forward && !(file.after === null && keep.has(file.before));
    // One file out of reach does not hold up the others.
    await recoverFile(root, file, finish).catch(() => undefined);
  }
  if (!forward) await removeEmptyFolders(root, intent.folders);
}

async function recoverFile(root: string, file: IntentFile, finish: boolean): Promise<void> {
  const folder = await openFolder(root, dirname(file.path) === "." ? "" : dirname(file.path));
  const temporary = join(folder.at, file.temporary);
  const target = join(folder.at, basename(file.path));
  try {
    if (finish && (await standingOf(root, file)) === "old") {
      if (file.after === null) await unlink(target);
      else await rename(temporary, target);
    }
  } finally {
    await rm(temporary, { force: true });
    await folder.handle.sync();
    await folder.handle.close();
  }
}

/** Which side of the change the file is on; "other": neither, somebody saved it. */
async function standingOf(
  root: string,
  { path, before, after }: IntentFile,
): Promise<"old" | "new" | "other"> {
  const now = await hashAt(root, path).catch(() => "out of reach");
  return now === after ? "new" : now === before ? "old" : "other";
}

async function hashAt(root: string, path: string): Promise<string | null> {
  const bytes = await readIfThere(join(root, path));
  return bytes ? createHash("sha256").update(bytes).digest("hex") : null;
}
