// One append-only NDJSON file whose lines count seq 1, 2, 3 …. Owns bytes and order; knows nothing of what a line means.
import { open, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { readIfThere, syncFolder } from "../files.ts";

export type Line = { seq: number; at: number; type: string } & Record<string, unknown>;
export type Draft = { type: string } & Record<string, unknown>;

export interface LoadedJournal {
  file: JournalFile;
  lines: Line[];
  /** Bytes of a torn last line that were dropped: the power went while it was written. */
  tornBytes: number;
}

export class JournalFile {
  readonly path: string;
  readonly #now: () => number;
  /** #starts[i] = byte at which line i+1 begins; #end = byte behind the last whole line. */
  readonly #starts: number[] = [];
  #end = 0;
  #next = 1;
  #tail: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  constructor(path: string, now: () => number) {
    this.path = path;
    this.#now = now;
  }

  /** Reads what is there, cutting off a torn last line. */
  static async load(path: string, now: () => number): Promise<LoadedJournal> {
    const file = new JournalFile(path, now);
    const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
    const lines: Line[] = [];
    while (file.#end < bytes.length) {
      const newline = bytes.indexOf(0x0a, file.#end);
      const line =
        newline < 0 ? undefined : parseLine(bytes.toString("utf8", file.#end, newline), lines.length + 1);
      if (line === undefined) break;
      lines.push(line);
      file.#starts.push(file.#end);
      file.#end = newline + 1;
    }
    file.#next = lines.length + 1;
    const tornBytes = bytes.length - file.#end;
    if (tornBytes > 0) await truncate(path, file.#end);
    return { file, lines, tornBytes };
  }

  /** Seq of the last line that can be read; 0 = none. */
  get lastSeq(): number {
    return this.#starts.length;
  }

  /** Seq of the last line that was appended, written or not. */
  get lastAppended(): number {
    return this.#next - 1;
  }

  get byteLength(): number {
    return this.#end;
  }

  /**
   * Appends in the order of the calls, all of `drafts` or none. Resolves when the lines can be read back,
   * and with `durable` when they are on the disk. Their seq and time are fixed at once and returned.
   */
  append(drafts: Draft[], durable: boolean): { lines: Line[]; written: Promise<void> } {
    const at = this.#now();
    const lines = drafts.map((draft) => ({ seq: this.#next++, at, ...draft }));
    const written = this.#tail.then(() => this.#write(lines, durable));
    this.#tail = written.catch(() => undefined);
    return { lines, written };
  }

  /** Resolves when everything appended so far has been written, or could not be. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  async #write(lines: Line[], durable: boolean): Promise<void> {
    if (lines.length === 0) return;
    if (lines[0]?.seq !== this.lastSeq + 1)
      throw new Error("an earlier line of this journal could not be written");
    const isNew = this.#end === 0;
    const texts = lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
    const handle = await open(this.path, "a", 0o600);
    try {
      await handle.appendFile(Buffer.concat(texts));
      if (durable) await handle.datasync();
    } catch (error) {
      // A full disk leaves half a line: it must not stand in front of the next one.
      await handle.truncate(this.#end).catch(() => undefined);
      this.#next = this.#starts.length + 1;
      throw error;
    } finally {
      await handle.close();
    }
    if (isNew && durable) await syncFolder(dirname(this.path));
    for (const text of texts) {
      this.#starts.push(this.#end);
      this.#end += text.length;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Lines with a seq of at least `from`, as NDJSON text. */
  async textFrom(from: number): Promise<{ text: string; next: number }> {
    const index = Math.max(0, from - 1);
    const start = this.#starts[index];
    const next = Math.max(from, this.lastSeq + 1);
    if (start === undefined) return { text: "", next };
    const end = this.#end;
    const handle = await open(this.path, "r");
    try {
      const buffer = Buffer.alloc(end - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      return { text: buffer.toString("utf8", 0, bytesRead), next };
    } finally {
      await handle.close();
    }
  }

  /** One line by its seq. */
  async line(seq: number): Promise<Line | undefined> {
    const start = this.#starts[seq - 1];
    if (start === undefined) return undefined;
    const end = this.#starts[seq] ?? this.#end;
    const handle = await open(this.path, "r");
    try {
      const buffer = Buffer.alloc(end - start);
      await handle.read(buffer, 0, buffer.length, start);
      return parseLine(buffer.toString("utf8").trimEnd(), seq);
    } finally {
      await handle.close();
    }
  }

  /** Calls `listener` after every append; returns how to end that. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function parseLine(text: string, seq: number): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("seq" in value) || value.seq !== seq)
      return undefined;
    if (
      !("type" in value) ||
      typeof value.type !== "string" ||
      !("at" in value) ||
      typeof value.at !== "number"
    ) {
      return undefined;
    }
    return { ...value, seq, at: value.at, type: value.type };
  } catch {
    return undefined;
  }
}
