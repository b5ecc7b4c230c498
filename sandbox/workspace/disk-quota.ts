// What a sandbox may write to the disk: its own copy by its size, a served folder by what it has grown since the sandbox
// was made, and throwaway copies beside it, all together. Free space, which costs nothing to ask for, says when a walk
// through the folders is worth its time.
import { HandrailError } from "../../shared/errors.ts";
import { deletedBytesOf } from "../exec/deleted-files.ts";
import type { DiskLook } from "../exec/process-watch.ts";
import * as limits from "../limits.ts";
import { bytesBeneath, deviceOf, freeOf } from "./disk-use.ts";

const mebibyte = 1024 * 1024;

export interface QuotaOptions {
  /** Real path of the workspace. */
  root: string;
  /** Bytes that may be written; 0 = no end. */
  maxBytes: number;
  /** The size before the sandbox; undefined = not measured yet. */
  baseBytes: number | undefined;
}

interface Measured {
  /** What each folder takes. */
  bytes: Map<string, number>;
  /** Free space of their file systems then, by device. */
  freeBytes: Map<number, number>;
  at: number;
}

export class DiskQuota {
  readonly #root: string;
  readonly #maxBytes: number;
  /** Folders of throwaway copies; see `include`. */
  readonly #copies = new Set<string>();
  /** Processes of each command that is watched, for files that are deleted and still open. */
  readonly #watched = new Set<() => readonly number[]>();
  #baseBytes: number | undefined;
  #measured: Measured | undefined;
  #measuring: Promise<Measured | undefined> | undefined;
  /** The size when it was first above the quota; undefined = below. */
  #aboveBytes: number | undefined;

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
    return this.#used(this.#measured);
  }

  /** Takes the present size as the one before the sandbox, unless that is known; returns it. */
  async begin(): Promise<number | undefined> {
    if (this.#maxBytes > 0 && this.#baseBytes === undefined)
      this.#baseBytes = (await this.#measure())?.bytes.get(this.#root);
    return this.#baseBytes;
  }

  /** Counts an empty folder with the workspace, until it is gone and the function that is returned was called. */
  async include(copy: string): Promise<() => void> {
    this.#copies.add(copy);
    const device = await deviceOf(copy);
    const free = this.#measured?.freeBytes;
    if (free && !free.has(device)) free.set(device, await freeOf(copy));
    return () => {
      this.#copies.delete(copy);
      const known = this.#measured;
      const bytes = known?.bytes.get(copy);
      if (known === undefined || bytes === undefined) return;
      known.bytes.delete(copy);
      // Space freed by the copy must not mask what others use from now on.
      known.freeBytes.set(device, (known.freeBytes.get(device) ?? 0) + bytes);
    };
  }

  /** Throws `too_large` if so many bytes more are above the quota. What takes no more space is never refused. */
  async check(moreBytes: number): Promise<void> {
    if (moreBytes <= 0 || (await this.roomBytes(moreBytes)) >= moreBytes) return;
    throw this.refusal();
  }

  /** Throws `too_large` if the sandbox is above its quota: a write may have happened between two checks. */
  async mustHold(): Promise<void> {
    if (this.#maxBytes === 0) return;
    // A walk that has begun may have missed some of it.
    await this.#measuring;
    const measured = await this.#measure();
    if (measured !== undefined && this.#used(measured) > this.#maxBytes) throw this.refusal();
  }

  refusal(): HandrailError {
    return new HandrailError(
      "too_large",
      `The sandbox may take ${inMebibytes(this.#maxBytes)} MiB of disk, and this would be more. Delete some files, or raise --disk-quota.`,
      { details: { diskQuotaBytes: this.#maxBytes, ...this.#usedDetail() } },
    );
  }

  /** Bytes that may still be written: at least so many where it says at least `enough`; else as measured now. */
  async roomBytes(enough: number): Promise<number> {
    if (this.#maxBytes === 0) return Number.POSITIVE_INFINITY;
    const quick = await this.#atMost();
    if (quick !== undefined && this.#maxBytes - quick >= enough) return this.#maxBytes - quick;
    const measured = await this.#measure();
    // What cannot be measured is not refused: the disk itself has an end.
    return measured === undefined ? Number.POSITIVE_INFINITY : this.#maxBytes - this.#used(measured);
  }

  /**
   * A check for a running command, to be called repeatedly: whether the sandbox is above its quota, through this command
   * or others beside it. A command that begins above it may continue, to delete, but not grow. `pids`: its processes.
   */
  watcher(pids: () => readonly number[]): DiskLook {
    this.#watched.add(pids);
    let mostBytes: number | undefined;
    const isAbove = async () => {
      if (this.#maxBytes === 0) return false;
      mostBytes ??= await this.#most();
      const quick = await this.#atMost();
      if (quick !== undefined && quick <= mostBytes) return false;
      const measured = await this.#measure();
      return measured !== undefined && this.#used(measured) + this.#deleted() > mostBytes;
    };
    return { isAbove, end: () => this.#watched.delete(pids) };
  }

  /** Counted from where it was first above the quota: else each command might grow a little more. */
  async #most(): Promise<number> {
    const room = await this.roomBytes(0);
    if (room >= 0) this.#aboveBytes = undefined;
    else this.#aboveBytes ??= this.#maxBytes - room;
    if (this.#aboveBytes === undefined) return this.#maxBytes;
    return Math.max(this.#maxBytes - room, this.#aboveBytes + limits.overQuotaBytes);
  }

  #used({ bytes }: Measured): number {
    let used = 0;
    for (const [folder, size] of bytes)
      used += folder === this.#root ? Math.max(0, size - (this.#baseBytes ?? size)) : size;
    return used;
  }

  #deleted(): number {
    const pids = [...this.#watched].flatMap((pidsOf) => pidsOf());
    return deletedBytesOf(pids, [this.#root, ...this.#copies]);
  }

  #usedDetail(): { usedBytes?: number } {
    return this.lastUsedBytes === undefined ? {} : { usedBytes: this.lastUsedBytes };
  }

  /** No more than so many bytes can be in use: as measured, and all that the disks have lost since. */
  async #atMost(): Promise<number | undefined> {
    const known = this.#measured;
    // Somebody else may have freed meanwhile what this one took.
    if (known === undefined || performance.now() - known.at > limits.diskMeasureMs) return undefined;
    let lost = 0;
    for (const [device, free] of await this.#free()) {
      const before = known.freeBytes.get(device);
      if (before === undefined) return undefined;
      lost += Math.max(0, before - free);
    }
    return this.#used(known) + lost;
  }

  async #free(): Promise<Map<number, number>> {
    const free = new Map<number, number>();
    for (const folder of [this.#root, ...this.#copies]) {
      const device = await deviceOf(folder);
      // 0 = a copy that is being taken away.
      if (device !== 0 && !free.has(device)) free.set(device, await freeOf(folder));
    }
    return free;
  }

  /** One walk at a time, for all who ask. */
  #measure(): Promise<Measured | undefined> {
    this.#measuring ??= this.#walk().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #walk(): Promise<Measured | undefined> {
    const freeBytes = await this.#free();
    const bytes = new Map<string, number>();
    for (const folder of [this.#root, ...this.#copies]) {
      const size = await bytesBeneath(folder);
      // A copy may be gone by now.
      if (folder !== this.#root && !this.#copies.has(folder)) continue;
      if (size === undefined) return undefined;
      bytes.set(folder, size);
    }
    for (const folder of bytes.keys())
      if (folder !== this.#root && !this.#copies.has(folder)) bytes.delete(folder);
    this.#measured = { bytes, freeBytes, at: performance.now() };
    return this.#measured;
  }
}

export function inMebibytes(bytes: number): number {
  return Math.round(bytes / mebibyte);
}
