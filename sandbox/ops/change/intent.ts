// What a change means to do to the workspace, as it stands on disk while it does it, and how a server that starts
// finishes or undoes what the last one had begun.
import { createHash } from "node:crypto";
import { readdir, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { readIfThere } from "../../files.ts";
import { openFolder } from "../../paths/inside.ts";

/** `before` and `after`: SHA-256 of the contents, null = no file. `temporary`: name of the new content beside the file. */
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
});
export type Intent = z.infer<typeof Intent>;

/** Finishes every change that was committed and not complete, and removes what an earlier one left. */
export async function recoverIntents(root: string, dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    try {
      const bytes = await readIfThere(path);
      if (bytes && name.endsWith(".json"))
        await recover(root, z.parse(Intent, JSON.parse(bytes.toString("utf8"))));
    } catch {
      // A torn intent: its change had not begun. An unreachable file: nothing more can be done for it.
    }
    await rm(path, { force: true });
  }
}

async function recover(root: string, intent: Intent): Promise<void> {
  // Somebody may have saved a file since: then the change is not forced upon it.
  const forward =
    intent.state === "committed" &&
    (await all(intent, async (file) => isOneOf(root, file.path, [file.before, file.after])));
  for (const file of intent.files) {
    const folder = await openFolder(root, dirname(file.path) === "." ? "" : dirname(file.path)).catch(
      () => undefined,
    );
    if (!folder) continue;
    const temporary = join(folder.at, file.temporary);
    const target = join(folder.at, basename(file.path));
    try {
      if (forward && file.after === null && (await isOneOf(root, file.path, [file.before])))
        await unlink(target);
      if (forward && file.after !== null && (await hashAt(root, file.path)) !== file.after)
        await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
      await folder.handle.sync();
      await folder.handle.close();
    }
  }
}

async function all(
  intent: Intent,
  test: (file: Intent["files"][number]) => Promise<boolean>,
): Promise<boolean> {
  for (const file of intent.files) if (!(await test(file))) return false;
  return true;
}

async function isOneOf(root: string, path: string, hashes: readonly (string | null)[]): Promise<boolean> {
  return hashes.includes(await hashAt(root, path));
}

async function hashAt(root: string, path: string): Promise<string | null> {
  const bytes = await readIfThere(join(root, path));
  return bytes ? createHash("sha256").update(bytes).digest("hex") : null;
}
