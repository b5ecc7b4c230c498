// References of a snapshot store that `git pack-refs` put into one file: https://git-scm.com/docs/git-pack-refs
import { join } from "node:path";
import { readIfThere, writeWhole } from "../files.ts";

export interface PackedReference {
  id: string;
  /** The full name, such as `refs/handrail/OWNER/TREE`. */
  name: string;
}

/** All packed references; none if git has not packed any. */
export async function packedReferences(store: string): Promise<PackedReference[]> {
  return (await linesOf(store)).flatMap((line) => {
    const [, id, name] = reference.exec(line) ?? [];
    return id === undefined || name === undefined ? [] : [{ id, name }];
  });
}

/** Removes references whose names begin with `prefix`. No one else may write to the store meanwhile. */
export async function forgetPacked(store: string, prefix: string): Promise<void> {
  const lines = await linesOf(store);
  const kept = lines.filter((line) => !reference.exec(line)?.[2]?.startsWith(prefix));
  if (kept.length < lines.length) await writeWhole(join(store, file), kept.join("\n"), false);
}

const file = "packed-refs";
const reference = /^([0-9a-f]{40,64}) (\S+)$/;

async function linesOf(store: string): Promise<string[]> {
  const text = (await readIfThere(join(store, file)))?.toString("utf8") ?? "";
  return text === "" ? [] : text.split("\n");
}
