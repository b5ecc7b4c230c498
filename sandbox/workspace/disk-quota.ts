// Limits what a sandbox may write to the disk. Its own copy counts by its size, a served folder by its growth
// since the sandbox was made, and throwaway copies are added. Free space can be read at no cost and tells
// when a walk through the folders is worthwhile.
import { HandrailError } from "../../shared/errors.ts";
import { deletedBytesOf } from "../exec/deleted-files.ts";
import type { DiskLook } from "../exec/process-watch.ts";
import * as limits from "../limits.ts";
import { type DiskUse, deviceOf, freeOf, useBeneath } from "./disk-use.ts";

const mebibyte = 1024 * 1024;

export interface QuotaOptions {
  /** Real path of the workspace. */
  root: string;
  /** Bytes that may be written; 0 = no limit. */
  maxBytes: number;
  /** Files that may be made, if bytes are limited too. */
  maxFiles?: number;
  /** Size of the folder before the sandbox; undefined = not measured yet. */
  baseBytes: number | undefined;
  /** Number of files before the sandbox; undefined = not counted, so the growth counts as 0. */
  baseFiles: number | undefined;
}

interface Measured {
  /** The size of each folder. */
  use: Map<string, DiskUse>;
  /** Free space of their file systems when it was last read, by device. */
  freeBytes: Map<number, number>;
  /** What these have lost since the measurement, without what they got back. */
  lostBytes: number;
  /** The size of deleted files that watched commands hold open, which no walk finds. */
  deletedBytes: number;
  at: number;
}

export class DiskQuota {
  readonly #root: string;
  readonly #maxBytes: number;
  /** Folders of throwaway copies; see `include`. */
  readonly #copies = new Set<string>();
  /** The processes of each watched command, to find files that are deleted but still open. */
  readonly #watched = new Set<() => readonly number[]>();
  readonly #maxFiles: number;
  #baseBytes: number | undefined;
  #baseFiles: number | undefined;
  #measured: Measured | undefined;
  #measuring: Promise<Measured | undefined> | undefined;
  /** The size when it was first above the quota; undefined = it is not above. */
  #aboveBytes: number | undefined;

  constructor({ root, maxBytes, maxFiles = limits.diskFiles, baseBytes, baseFiles }: QuotaOptions) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#maxFiles = maxFiles;
    this.#baseBytes = baseBytes;
    this.#baseFiles = baseFiles;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** The bytes that the sandbox has written, according to the last measurement. */
  get lastUsedBytes(): number | undefined {
    if (this.#measured === undefined || this.#baseBytes === undefined) return undefined;
    return this.#used(this.#measured);
  }

  /**
   * Records the current size as the size before the sandbox, unless that is recorded already, and returns it.
   */
  async begin(): Promise<{ baseBytes?: number | undefined; baseFiles?: number | undefined }> {
    if (this.#maxBytes > 0 && this.#baseBytes === undefined) {
      const use = (await this.#measure())?.use.get(this.#root);
      this.#baseBytes = use?.bytes;
      this.#baseFiles = use?.files;
    }
    return { baseBytes: this.#baseBytes, baseFiles: this.#baseFiles };
  }

  /** Counts an empty folder with the workspace. Call the returned function when the folder is gone. */
  async include(copy: string): Promise<() => void> {
    this.#copies.add(copy);
    const device = await deviceOf(copy);
    const free = this.#measured?.freeBytes;
    if (free && !free.has(device)) free.set(device, await freeOf(copy));
    return () => {
      this.#copies.delete(copy);
      const known = this.#measured;
      const bytes = known?.use.get(copy)?.bytes;
      if (known === undefined || bytes === undefined) return;
      known.use.delete(copy);
      // Space freed by the copy must not hide what other folders use from now on.
      known.freeBytes.set(device, (known.freeBytes.get(device) ?? 0) + bytes);
    };
  }

  /**
   * Throws `too_large` if this many more bytes would exceed the quota. Writes that take no more space are
   * never refused.
   */
  async check(moreBytes: number): Promise<void> {
    if (moreBytes <= 0) return;
    const room = await this.roomBytes(moreBytes);
    if ((await this.#filesAbove()) !== undefined || room < moreBytes) throw this.refusal();
  }

  /**
   * Throws `too_large` if the sandbox is above its quota, which a write between two checks may have exceeded.
   */
  async mustHold(): Promise<void> {
    if (this.#maxBytes === 0) return;
    // A walk in progress may have missed some of it.
    await this.#measuring;
    const measured = await this.#measure();
    if (measured !== undefined && (this.#used(measured) > this.#maxBytes || this.hasTooManyFiles))
      throw this.refusal();
  }

  /**
   * The number of files if there are too many. They are counted again, because some may have been deleted.
   */
  async #filesAbove(): Promise<number | undefined> {
    const counted = this.hasTooManyFiles ? await this.#measure() : undefined;
    return counted && this.hasTooManyFiles ? this.#files(counted) : undefined;
  }

  /** According to the last count. */
  get hasTooManyFiles(): boolean {
    return this.#maxBytes > 0 && this.#measured !== undefined && this.#files(this.#measured) > this.#maxFiles;
  }

  /** Which limit was exceeded, and how to get below it. */
  get words(): string {
    return this.hasTooManyFiles
      ? `more than ${this.#maxFiles} files. Delete some`
      : `more disk than ${inMebibytes(this.#maxBytes)} MiB. Delete some files, or raise --disk-quota`;
  }

  refusal(): HandrailError {
    return new HandrailError(
      "too_large",
      this.hasTooManyFiles
        ? `The sandbox may have ${this.#maxFiles} files, and has more. Delete some.`
        : `The sandbox may take ${inMebibytes(this.#maxBytes)} MiB of disk, and this would be more. Delete some files, or raise --disk-quota.`,
      { details: { diskQuotaBytes: this.#maxBytes, ...this.#usedDetail() } },
    );
  }

  /**
   * Bytes that may still be written. A result of at least `enough` may be too low; a smaller one is measured.
   */
  async roomBytes(enough: number): Promise<number> {
    if (this.#maxBytes === 0) return Number.POSITIVE_INFINITY;
    const quick = await this.#atMost();
    if (quick !== undefined && this.#maxBytes - quick.bytes >= enough) return this.#maxBytes - quick.bytes;
    const measured = await this.#measure();
    // If the use cannot be measured, nothing is refused: the disk itself is the limit.
    return measured === undefined ? Number.POSITIVE_INFINITY : this.#maxBytes - this.#used(measured);
  }

  /**
   * Returns a check that is called repeatedly while a command runs. It tells whether the sandbox is above its
   * quota, through this command or others. A command that begins above the quota may continue, so that it can
   * delete files, but must not grow further. `pids`: its processes.
   */
  watcher(pids: () => readonly number[]): DiskLook {
    this.#watched.add(pids);
    let mostBytes: number | undefined;
    let mostFiles = this.#maxFiles;
    const isAbove = async () => {
      if (this.#maxBytes === 0) return false;
      if (mostBytes === undefined) {
        mostBytes = await this.#most();
        const above = await this.#filesAbove();
        if (above !== undefined) mostFiles = above + limits.overQuotaFiles;
      }
      let trustMs = limits.diskWatchMs;
      for (const { files } of this.#measured?.use.values() ?? [])
        trustMs = Math.max(trustMs, files * limits.diskFileMs);
      const quick = await this.#atMost(trustMs);
      if (quick !== undefined && quick.bytes <= mostBytes && quick.files <= mostFiles) return false;
      const measured = await this.#measure();
      if (measured === undefined) return false;
      return this.#files(measured) > mostFiles || this.#used(measured) + measured.deletedBytes > mostBytes;
    };
    return { isAbove, end: () => this.#watched.delete(pids) };
  }

  /**
   * Counted from the size at which the sandbox first exceeded the quota. Otherwise each command could grow a
   * little further.
   */
  async #most(): Promise<number> {
    const room = await this.roomBytes(0);
    if (room >= 0) this.#aboveBytes = undefined;
    else this.#aboveBytes ??= this.#maxBytes - room;
    if (this.#aboveBytes === undefined) return this.#maxBytes;
    return Math.max(this.#maxBytes - room, this.#aboveBytes + limits.overQuotaBytes);
  }

  #used({ use }: Measured): number {
    let used = 0;
    for (const [folder, { bytes }] of use)
      used += folder === this.#root ? Math.max(0, bytes - (this.#baseBytes ?? bytes)) : bytes;
    return used;
  }

  #files({ use }: Measured): number {
    let count = 0;
    for (const [folder, { files }] of use)
      count += folder === this.#root ? Math.max(0, files - (this.#baseFiles ?? files)) : files;
    return count;
  }

  #deleted(): number {
    const pids = [...this.#watched].flatMap((pidsOf) => pidsOf());
    return deletedBytesOf(pids, [this.#root, ...this.#copies]);
  }

  #usedDetail(): { usedBytes?: number } {
    return this.lastUsedBytes === undefined ? {} : { usedBytes: this.lastUsedBytes };
  }

  /**
   * An upper bound for the use: the last measurement plus all space that the disks have lost since, from one
   * look to the next, so that space which others free hides no growth.
   */
  async #atMost(trustMs = limits.diskMeasureMs): Promise<DiskUse | undefined> {
    const known = this.#measured;
    // What others free between two looks still hides as much growth.
    if (known === undefined || performance.now() - known.at > trustMs) return undefined;
    for (const [device, free] of await this.#free()) {
      const before = known.freeBytes.get(device);
      if (before === undefined) return undefined;
      known.lostBytes += Math.max(0, before - free);
      known.freeBytes.set(device, free);
    }
    const bytes = this.#used(known) + known.deletedBytes + known.lostBytes;
    return { bytes, files: this.#files(known) + known.lostBytes / limits.inodeBytes };
  }

  async #free(): Promise<Map<number, number>> {
    const free = new Map<number, number>();
    for (const folder of [this.#root, ...this.#copies]) {
      const device = await deviceOf(folder);
      // 0 = a copy that is being removed.
      if (device !== 0 && !free.has(device)) free.set(device, await freeOf(folder));
    }
    return free;
  }

  /** Runs one walk at a time, which all callers share. */
  #measure(): Promise<Measured | undefined> {
    this.#measuring ??= this.#walk().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #walk(): Promise<Measured | undefined> {
    const freeBytes = await this.#free();
    const use = new Map<string, DiskUse>();
    for (const folder of [this.#root, ...this.#copies]) {
      const found = await useBeneath(folder);
      // A copy may be gone now.
      if (folder !== this.#root && !this.#copies.has(folder)) continue;
      if (found === undefined) return undefined;
      use.set(folder, found);
    }
    for (const folder of use.keys())
      if (folder !== this.#root && !this.#copies.has(folder)) use.delete(folder);
    const deletedBytes = this.#deleted();
    this.#measured = { use, freeBytes, lostBytes: 0, deletedBytes, at: performance.now() };
    return this.#measured;
  }
}

export function inMebibytes(bytes: number): number {
  return Math.round(bytes / mebibyte);
}
