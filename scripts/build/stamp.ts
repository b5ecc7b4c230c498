// Tells whether a built part still matches its sources, by a hash of their content that is stored next to the output.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildPart } from "./parts.ts";

/** Hash in hex of the names and bytes of all files below the part's inputs; missing inputs count as empty. */
export async function sourceHash(root: string, part: BuildPart): Promise<string> {
  const hash = createHash("sha256");
  for (const input of part.inputs) {
    for (const path of await filesBelow(root, input)) {
      hash.update(`${path}\0`).update(await readFile(join(root, path)));
    }
  }
  return hash.digest("hex");
}

export async function isFresh(dist: string, part: BuildPart, hash: string): Promise<boolean> {
  if (!existsSync(join(dist, part.output))) return false;
  const stamp = await readFile(stampPath(dist, part), "utf8").catch(() => "");
  return stamp === hash;
}

export async function writeStamp(dist: string, part: BuildPart, hash: string): Promise<void> {
  await mkdir(join(dist, ".stamps"), { recursive: true });
  await writeFile(stampPath(dist, part), hash);
}

function stampPath(dist: string, part: BuildPart): string {
  return join(dist, ".stamps", part.name);
}

async function filesBelow(root: string, path: string): Promise<string[]> {
  const found = await stat(join(root, path)).catch(() => undefined);
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  const entries = await readdir(join(root, path), { withFileTypes: true });
  const names = entries
    .map((entry) => entry.name)
    .filter((name) => name !== "node_modules")
    .sort();
  return (await Promise.all(names.map((name) => filesBelow(root, `${path}/${name}`)))).flat();
}
