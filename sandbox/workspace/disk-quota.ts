// What a sandbox may write to the disk: its own copy by its size, a served folder by what it has grown since the sandbox
// was made. Free space, which costs nothing to ask for, says when a walk through the folder is worth its time.
import { HandrailError } from "../../shared/errors.ts";
import { deletedBytesOf } from "../exec/deleted-files.ts";
import { limits } from "../limits.ts";
import { bytesBeneath, freeOf } from "./disk-use.ts";

const mebibyte = 1024 * 1024;

export interface QuotaOptions {
  /** Real path of the workspace. */
  root: string;
  /** Bytes that may be written; 0 = no end. */
  maxBytes: number;
  /** What was there before the sandbox; undefined = not measured yet. */
  baseBytes: number | undefined;
}

interface Measured {
  bytes: number;
  /** Free space of the file system then, and the time. */
  freeBytes: number;
  at: number;
}

export class DiskQuota {
  readonly #root: string;
  readonly #maxBytes: number;
  #baseBytes: number | undefined;
  #measured: Measured | undefined;
  #measuring: Promise<Measured | undefined> | undefined;

  constructor({ root, maxBytes, baseBytes }: QuotaOptions) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#baseBytes = baseBytes;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** What the sandbox has written, as last measured. */
  get lastUsedBytes(): number | undefined {
    if (this.#measured === undefined || this.#baseBytes === undefined) return undefined;
    return Math.max(0, this.#measured.bytes - this.#baseBytes);
  }

  /** Takes what is there now for what was there before the sandbox, unless that is known; returns it. */
  async begin(): Promise<number | undefined> {
    if (this.#maxBytes > 0 && this.#baseBytes === undefined) this.#baseBytes = (await this.#measure())?.bytes;
    return this.#baseBytes;
  }

  /** Throws `too_large` where so many bytes more are above the quota. What takes no more space is never refused. */
  async check(moreBytes: number): Promise<void> {
    if (moreBytes <= 0 || (await this.roomBytes(moreBytes)) >= moreBytes) return;
    throw new HandrailError(
      "too_large",
      `The sandbox may take ${inMebibytes(this.#maxBytes)} MiB of disk, and this would be more. Delete files that are not needed, or raise --disk-quota.`,
      { details: { diskQuotaBytes: this.#maxBytes, ...this.#usedDetail() } },
    );
  }

  /** Bytes that may still be written: at least so many where it says at least `enough`; else as measured now. */
  async roomBytes(enough: number): Promise<number> {
    if (this.#maxBytes === 0) return Number.POSITIVE_INFINITY;
    const quick = await this.#atMost();
    if (quick !== undefined && this.#room(quick) >= enough) return this.#room(quick);
    const measured = await this.#measure();
    // What cannot be measured is not refused: the disk itself has an end.
    return measured === undefined ? Number.POSITIVE_INFINITY : this.#room(measured.bytes);
  }

  /**
   * A look for a command that runs, to be called again and again: whether it has taken the sandbox over its quota. A
   * command that begins above it may go on, to delete, but not grow. `pids`: its processes, for files that are deleted and
   * still open.
   */
  watcher(pids: () => readonly number[]): () => Promise<boolean> {
    let mostBytes: number | undefined;
    return async () => {
      if (this.#maxBytes === 0 || this.#baseBytes === undefined) return false;
      if (mostBytes === undefined) {
        const room = await this.roomBytes(0);
        mostBytes = this.#maxBytes + this.#baseBytes + (room < 0 ? limits.overQuotaBytes - room : 0);
      }
      const quick = await this.#atMost();
      if (quick !== undefined && quick <= mostBytes) return false;
      const measured = await this.#measure();
      return measured !== undefined && measured.bytes + deletedBytesOf(pids(), this.#root) > mostBytes;
    };
  }

  #room(bytes: number): number {
    return this.#maxBytes - Math.max(0, bytes - (this.#baseBytes ?? bytes));
  }

  #usedDetail(): { usedBytes?: number } {
    return this.lastUsedBytes === undefined ? {} : { usedBytes: this.lastUsedBytes };
  }

  /** No more than so many bytes can be in the folder: as measured, and all that the disk has lost since. */
  async #atMost(): Promise<number | undefined> {
    const known = this.#measured;
    // Somebody else may have freed meanwhile what this one took.
    if (known === undefined || performance.now() - known.at > limits.diskMeasureMs) return undefined;
    return known.bytes + Math.max(0, known.freeBytes - (await freeOf(this.#root)));
  }

  /** One walk at a time, for all who ask. */
  #measure(): Promise<Measured | undefined> {
    this.#measuring ??= this.#walk().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #walk(): Promise<Measured | undefined> {
    const freeBytes = await freeOf(this.#root);
    const bytes = await bytesBeneath(this.#root);
    if (bytes === undefined) return undefined;
    this.#measured = { bytes, freeBytes, at: performance.now() };
    return this.#measured;
  }
}

export function inMebibytes(bytes: number): number {
  return Math.round(bytes / mebibyte);
}
