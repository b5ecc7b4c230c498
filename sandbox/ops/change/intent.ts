// The plan of a change, stored on disk while the change is written, and how such a plan is finished: by a
// server that starts, or by a change that has to be reverted.
import { createHash } from "node:crypto";
import { readdir, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { readIfThere } from "../../files.ts";
import { openFolder } from "../../paths/inside.ts";
import { removeEmptyFolders } from "./new-folders.ts";

/**
 * "undoing": a file could not be written, for example because somebody had saved it, so the change is being
 * reverted. `before` and `after`: SHA-256 of the contents, null = no file. `temporary`: name of the file next
 * to it with the new content. `folders`: the folders that the change makes, deepest first.
 */
export const Intent = z.object({
  state: z.literal(["writing", "committed", "undoing"]),
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

/** Finishes every change that was committed but is incomplete, and removes what other changes left. */
export async function recoverIntents(root: string, dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    try {
      const bytes = await readIfThere(path);
      if (bytes && name.endsWith(".json"))
        await settle(root, z.parse(Intent, JSON.parse(bytes.toString("utf8"))));
    } catch {
      // An incomplete intent: its change had not begun. If a file cannot be reached, nothing more can be done
      // for it.
    }
    await rm(path, { force: true });
  }
}

/**
 * Finishes or undoes `intent`. Files that somebody has saved since stay as they are. The others get the
 * content `after` if the change is being undone, or if it was committed and either one file has its new
 * content already (so its old content is gone) or nobody has saved any. Otherwise they keep the content
 * `before`.
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
    // The target of a move is taken, so deleting the old path would lose the file.
    const finish = forward && !(file.after === null && keep.has(file.before));
    // One file that cannot be reached must not hold up the others.
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
      // If the server died before the decision, the file may hold the content for the way back, or a part of
      // it.
      else if ((await hashAt(temporary)) === file.after) await rename(temporary, target);
    }
  } finally {
    await rm(temporary, { force: true });
    await folder.handle.sync();
    await folder.handle.close();
  }
}

/** Which side of the change a file is on. "other": neither, because somebody saved it. */
type Standing = "old" | "new" | "other";

async function standingOf(root: string, { path, before, after }: IntentFile): Promise<Standing> {
  const now = await hashAt(join(root, path)).catch(() => "out of reach");
  return now === after ? "new" : now === before ? "old" : "other";
}

async function hashAt(path: string): Promise<string | null> {
  const bytes = await readIfThere(path);
  return bytes ? createHash("sha256").update(bytes).digest("hex") : null;
}
