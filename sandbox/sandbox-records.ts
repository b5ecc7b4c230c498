// Reads the records of all sandboxes from the disk, whether they are open or not.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { readIfThere } from "./files.ts";
import { SandboxRecord } from "./sandbox.ts";

/** The record in the state folder of one sandbox, if there is one. */
export async function readRecord(dir: string): Promise<SandboxRecord | undefined> {
  const bytes = await readIfThere(join(dir, "sandbox.json"));
  return bytes && z.parse(SandboxRecord, JSON.parse(bytes.toString("utf8")));
}

/** `dir`: the folder with the folders of all sandboxes. Throws if a record cannot be read. */
export async function readRecords(dir: string): Promise<SandboxRecord[]> {
  const names = (await readdir(dir)).filter((name) => !name.startsWith("."));
  const records = await Promise.all(names.map((name) => readRecord(join(dir, name))));
  return records.filter((record) => record !== undefined);
}

/**
 * Whether a sandbox with its files in the folder at the real path `root` was made, or worked there, after
 * `since`.
 */
export async function isInUse(dir: string, root: string, since: number): Promise<boolean> {
  for (const record of await readRecords(dir)) {
    if (record.root !== root || record.state === "failed") continue;
    const turns = await stat(join(dir, record.id, "turns")).catch(() => undefined);
    if (Math.max(record.createdAt, turns?.mtimeMs ?? 0) >= since) return true;
  }
  return false;
}
