// What a change means to do to the workspace, kept on disk while it does it, and how that is finished:
// by a server that starts, and by a change that has to be taken back.
import { createHash } from "node:crypto";
import { readdir, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { readIfThere } from "../../files.ts";
import { openFolder } from "../../paths/inside.ts";
import { removeEmptyFolders } from "./new-folders.ts";

/**
 * "undoing": reverts a change that met a file somebody had saved; always finished.
 * `before` and `after`: SHA-256 of the contents, null = no file. `temporary`: name of the new content beside the file.
 * `folders`: those that the change makes, the deepest first.
 */
export const Intent = z.object({
  state: z.enum(["writing", "committed", "undoing"]),
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
        await settle(root, z.parse(Intent, JSON.parse(bytes.toString("utf8"))));
    } catch {
      // A torn intent: its change had not begun. A file out of reach: nothing more can be done for it.
    }
    await rm(path, { force: true });
  }
}

/**
 * Does the rest of `intent`. Files that somebody has saved since stay as they are. All others get the new content if the
 * change was committed, and if either one of them has it already (its old content is gone) or nobody has saved any.
 * Otherwise they keep the old content.
 */
export async function settle(root: string, intent: Intent): Promise<void> {
  const found: Standing[] = [];
  for (const file of intent.files) found.push(await standingOf(root, file));
  const begun = found.includes("new") || !found.includes("other");
  const forward = intent.state === "undoing" || (intent.state === "committed" && begun);
  const keep = new Set(
    intent.files.flatMap(({ before, after }, index) =>
      found[index] === "other" && before !== after ? [after] : [],
    ),
  );
  let failure: unknown;
  for (const file of intent.files) {
    // The target of a move is taken: deleting the old path would lose the file.
    const finish = forward && !(file.after === null && keep.has(file.before));
    // One file out of reach does not hold up the others.
    await settleFile(root, file, finish).catch((error: unknown) => {
      failure ??= error;
    });
  }
  if (!forward || intent.state === "undoing") await removeEmptyFolders(root, intent.folders);
  if (failure !== undefined) throw failure;
}

async function settleFile(root: string, file: IntentFile, finish: boolean): Promise<void> {
  const folder = await openFolder(root, dirname(file.path) === "." ? "" : dirname(file.path));
  const temporary = join(folder.at, file.temporary);
  const target = join(folder.at, basename(file.path));
  try {
    if (finish && (await standingOf(root, file)) === "old") {
      if (file.after === null) await unlink(target);
      // The content for the way back may be there, or half of it, if the server died before that was decided.
      else if ((await hashAt(temporary)) === file.after) await rename(temporary, target);
    }
  } finally {
    await rm(temporary, { force: true });
    await folder.handle.sync();
    await folder.handle.close();
  }
}

/** Which side of the change a file is on; "other": neither, somebody saved it. */
type Standing = "old" | "new" | "other";

async function standingOf(root: string, { path, before, after }: IntentFile): Promise<Standing> {
  const now = await hashAt(join(root, path)).catch(() => "out of reach");
  return now === after ? "new" : now === before ? "old" : "other";
}

async function hashAt(path: string): Promise<string | null> {
  const bytes = await readIfThere(path);
  return bytes ? createHash("sha256").update(bytes).digest("hex") : null;
}
