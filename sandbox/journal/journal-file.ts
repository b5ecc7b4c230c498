// One append-only NDJSON file with lines of seq 1, 2, 3 …. It owns bytes and order and does not interpret the
// lines.
import { open, stat, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { readIfThere, syncFolder, writeWhole } from "../files.ts";
import * as limits from "../limits.ts";
import { type LineDraft, parseLine, readStoredLines, type StoredLine, storedText } from "./journal-lines.ts";

export interface JournalFileOptions {
  now(): number;
  /** Throws if another server has taken the state folder, so that nothing may be written. */
  mayWrite?(): Promise<void>;
  /** Called when lines could not be written: everything that was derived from them must be undone. */
  onFailure?(error: unknown): void;
}

export interface LoadedJournal {
  file: JournalFile;
  lines: StoredLine[];
  /**
   * Bytes of an incomplete last line that were dropped. Its write was cut off, for example by a power
   * failure.
   */
  tornBytes: number;
  /** Unreadable pieces in the middle. The file is kept beside the journal as it was found. */
  damages: number;
}

interface WaitingWrite {
  lines: StoredLine[];
  durable: boolean;
  done(): void;
  failed(error: unknown): void;
}

export class JournalFile {
  readonly path: string;
  readonly #options: JournalFileOptions;
  /** #starts[i] is the byte at which line i+1 begins; #end is the byte after the last complete line. */
  #starts: number[] = [];
  #end = 0;
  #next = 1;
  #waiting: WaitingWrite[] = [];
  #flushing: Promise<void> | undefined;
  /** Whether the folder's entry for this file has been synced to the disk. */
  #entered = false;
  /** Set while there may be an incomplete line after #end. */
  #torn = false;
  #replacing = false;
  /** Time of the last line; 0 = none. */
  lastAt = 0;
  /**
   * Identifies the file on this disk, but not its copies; "" until the file exists. Its first line contains
   * it as `file`.
   */
  own = "";
  readonly #listeners = new Set<() => void>();

  constructor(path: string, options: JournalFileOptions) {
    this.path = path;
    this.#options = options;
  }

  /** Reads the file. Cuts off an incomplete end, and replaces each unreadable line with a `lost` line. */
  static async load(path: string, options: JournalFileOptions): Promise<LoadedJournal> {
    const file = new JournalFile(path, options);
    const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
    const { lines, starts, end, damages } = readStoredLines(bytes);
    // Another server may be writing the incomplete line right now.
    if (damages > 0 || end < bytes.length) await options.mayWrite?.();
    if (damages > 0) {
      await writeWhole(`${path}.damaged-${options.now()}`, bytes, true);
      await file.replace(lines);
    } else {
      if (end < bytes.length) await truncate(path, end);
      file.#index(lines, starts, end);
    }
    if (lines.length > 0) await file.#identify();
    return { file, lines, tornBytes: bytes.length - end, damages };
  }

  #index(lines: readonly StoredLine[], starts: number[], end: number): void {
    this.#starts = starts;
    this.#end = end;
    this.#next = lines.length + 1;
    this.lastAt = lines.at(-1)?.at ?? 0;
  }

  /**
   * Inode numbers of deleted files are reused, so the creation time is included. Neither changes with a
   * rename or a restart.
   */
  async #identify(): Promise<void> {
    const { ino, birthtimeNs } = await stat(this.path, { bigint: true });
    this.own = `${ino}.${birthtimeNs}`;
  }

  /** Seq of the last line that can be read; 0 = none. */
  get lastSeq(): number {
    return this.#starts.length;
  }

  /** Seq of the last appended line, whether it has been written or not. */
  get lastAppended(): number {
    return this.#next - 1;
  }

  /**
   * Appends all of `drafts` or none, in the order of the calls. Their seq and time are fixed immediately and
   * returned. `written` resolves when the lines can be read back, or with `durable` when they are on the
   * disk. Appends made during an earlier write are written together.
   */
  append(drafts: readonly LineDraft[], durable: boolean): { lines: StoredLine[]; written: Promise<void> } {
    if (this.#replacing) {
      const refused = Promise.reject(
        new HandrailError("internal", "This journal is just being made small. Send it again.", {
          retryable: true,
        }),
      );
      refused.catch(() => undefined);
      return { lines: [], written: refused };
    }
    const at = this.#options.now();
    const lines = drafts.map((draft) => ({ seq: this.#next++, at, ...draft }));
    const written = new Promise<void>((done, failed) => {
      this.#waiting.push({ lines, durable, done, failed });
    });
    if (lines.length > 0) this.lastAt = at;
    this.#flushing ??= this.#flush();
    return { lines, written };
  }

  /** Whether a write is in progress. */
  get busy(): boolean {
    return this.#flushing !== undefined;
  }

  /** Resolves when everything appended so far has been written or has failed. */
  async settled(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // Appends made at the same moment are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        await this.#write(
          group.flatMap(({ lines }) => lines),
          group.some(({ durable }) => durable),
        );
      } catch (error) {
        // These lines follow lines that were never written, so they fail too.
        const behind = this.#waiting.splice(0);
        this.#next = this.#starts.length + 1;
        this.#options.onFailure?.(error);
        for (const { failed } of [...group, ...behind]) failed(error);
        continue;
      }
      for (const { done } of group) done();
      for (const listener of this.#listeners) listener();
    }
    this.#flushing = undefined;
  }

  async #write(lines: readonly StoredLine[], durable: boolean): Promise<void> {
    if (lines.length === 0) return;
    await this.#options.mayWrite?.();
    const handle = await open(this.path, "a", 0o600);
    let texts: Buffer[];
    try {
      if (this.#starts.length === 0) await this.#identify();
      texts = lines.map((line) =>
        Buffer.from(storedText(line.seq === 1 ? { ...line, file: this.own } : line)),
      );
      if (this.#torn) await handle.truncate(this.#end);
      this.#torn = true;
      await handle.appendFile(Buffer.concat(texts));
      if (durable) await handle.datasync();
      if (durable && !this.#entered) await syncFolder(dirname(this.path));
      this.#torn = false;
      this.#entered ||= durable;
    } catch (error) {
      // A full disk leaves an incomplete line. The next line must not be appended to it, and it must not
      // reappear after a restart.
      await handle.truncate(this.#end).then(
        () => {
          this.#torn = false;
        },
        () => undefined,
      );
      throw error;
    } finally {
      await handle.close();
    }
    for (const text of texts) {
      this.#starts.push(this.#end);
      this.#end += text.length;
    }
  }

  /**
   * Replaces the whole file with `lines`, which count from 1. Calls `replaced` before any line can follow
   * them. Appends are refused meanwhile.
   */
  async replace(lines: readonly StoredLine[], replaced: () => void = () => undefined): Promise<void> {
    this.#replacing = true;
    try {
      await this.settled();
      await this.#replace(lines);
      replaced();
    } finally {
      this.#replacing = false;
    }
  }

  async #replace(lines: readonly StoredLine[]): Promise<void> {
    const texts = lines.map(storedText);
    const starts: number[] = [];
    let end = 0;
    for (const text of texts) {
      starts.push(end);
      end += Buffer.byteLength(text);
    }
    await this.#options.mayWrite?.();
    await writeWhole(this.path, texts.join(""), true);
    this.#entered = true;
    this.#index(lines, starts, end);
  }

  /**
   * The lines with a seq of at least `from` as NDJSON text, up to about `limits.journalReadBytes`. `next` is
   * the seq to continue from.
   */
  async textFrom(from: number): Promise<{ text: string; next: number }> {
    const first = Math.max(1, from);
    const start = this.#starts[first - 1];
    if (start === undefined) return { text: "", next: Math.max(from, this.lastSeq + 1) };
    let next = first + 1;
    while (this.#endOf(next) - start <= limits.journalReadBytes && next <= this.lastSeq) next++;
    return { text: await this.#read(start, this.#endOf(next - 1)), next };
  }

  /** The byte after line `seq`. */
  #endOf(seq: number): number {
    return this.#starts[seq] ?? this.#end;
  }

  /** One line by its seq. */
  async line(seq: number): Promise<StoredLine | undefined> {
    const start = this.#starts[seq - 1];
    return start === undefined ? undefined : parseLine(await this.#read(start, this.#endOf(seq)));
  }

  /** All lines that have been written. */
  async *lines(): AsyncGenerator<StoredLine, void> {
    await this.settled();
    for (let next = 1; next <= this.lastSeq; ) {
      const read = await this.textFrom(next);
      next = read.next;
      for (const row of read.text.split("\n")) {
        const line = row === "" ? undefined : parseLine(row);
        if (line) yield line;
      }
    }
  }

  async #read(start: number, end: number): Promise<string> {
    const handle = await open(this.path, "r");
    try {
      const buffer = Buffer.alloc(end - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** Calls `listener` after every write. The returned function removes it. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
