// Which files a history says were changed: read off the facts of results, whatever tool they are of.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { ChangedFile } from "../../shared/plan/finish-summary.ts";

const Edited = z.object({ files: z.array(ChangedFile) });

/** Files that results of `messages` say were changed, added to `before`, each path once. */
export function changedFiles(messages: readonly Message[], before: readonly ChangedFile[]): ChangedFile[] {
  const byPath = new Map(before.map((file) => [file.path, file]));
  for (const message of messages) {
    if (message.role !== "tool" || !message.ok) continue;
    const edited = z.safeParse(Edited, message.meta?.facts);
    for (const { path, added, removed } of edited.success ? edited.data.files : []) {
      const old = byPath.get(path) ?? { path, added: 0, removed: 0 };
      byPath.set(path, { path, added: old.added + added, removed: old.removed + removed });
    }
  }
  return [...byPath.values()];
}
