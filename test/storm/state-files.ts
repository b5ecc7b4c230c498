import { readdir } from "node:fs/promises";

/** Names of the files at the top of a state folder. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
