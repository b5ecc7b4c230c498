// The stored file contents of a workspace, within one limit of bytes: the least recently used are deleted
// first. Knows no ids.
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readIfThere, writeWhole } from "../files.ts";

export class KeptContents {
  readonly #dir: string;
  readonly #maxBytes: number;
  /** Size by name, least recently used first. Read from the disk at the first use. */
  #sizes: Promise<Map<string, number>> | undefined;
  #total = 0;
  /** Milliseconds since the epoch. No two uses have the same value. */
  #usedAt = 0;

  /** `name` below is `FOLDER/FILE` under `dir`. Other files there must end in `.json`. */
  constructor(dir: string, maxBytes: number) {
    this.#dir = dir;
    this.#maxBytes = maxBytes;
  }

  /**
   * Stores `bytes` unless they are stored already, and deletes the least recently used contents if the limit
   * is exceeded.
   */
  async keep(name: string, bytes: Uint8Array): Promise<void> {
    const sizes = await this.#load();
    const isNew = !sizes.delete(name);
    if (isNew) {
      await mkdir(dirname(join(this.#dir, name)), { recursive: true });
      await writeWhole(join(this.#dir, name), bytes, false);
      this.#total += bytes.byteLength;
    }
    sizes.set(name, bytes.byteLength);
    await this.#touch(name);
    for (const oldest of isNew ? sizes.keys() : []) {
      if (this.#total <= this.#maxBytes || oldest === name) break;
      await this.drop(oldest);
    }
  }

  /**
   * Sets the file's time, so that the use also counts after a restart. A file system's own clock is too
   * coarse to tell two uses apart.
   */
  async #touch(name: string): Promise<void> {
    this.#usedAt = Math.max(this.#usedAt + 1, Date.now());
    const at = new Date(this.#usedAt);
    await utimes(join(this.#dir, name), at, at).catch(() => undefined);
  }

  async read(name: string): Promise<Buffer | undefined> {
    return readIfThere(join(this.#dir, name));
  }

  async drop(name: string): Promise<void> {
    const sizes = await this.#load();
    this.#total -= sizes.get(name) ?? 0;
    sizes.delete(name);
    await rm(join(this.#dir, name), { force: true });
  }

  #load(): Promise<Map<string, number>> {
    this.#sizes ??= this.#scan();
    return this.#sizes;
  }

  async #scan(): Promise<Map<string, number>> {
    const found: { name: string; size: number; usedAt: number }[] = [];
    for (const folder of await readdir(this.#dir).catch(() => [])) {
      for (const file of await readdir(join(this.#dir, folder)).catch(() => [])) {
        if (file.endsWith(".json")) continue;
        const { size, mtimeMs } = await stat(join(this.#dir, folder, file));
        found.push({ name: join(folder, file), size, usedAt: mtimeMs });
      }
    }
    this.#usedAt = Math.ceil(Math.max(0, ...found.map(({ usedAt }) => usedAt)));
    found.sort((a, b) => a.usedAt - b.usedAt);
    this.#total = found.reduce((sum, { size }) => sum + size, 0);
    return new Map(found.map(({ name, size }) => [name, size]));
  }
}
