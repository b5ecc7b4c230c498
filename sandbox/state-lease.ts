// A lease on the state folder: a file that its holder keeps changing. It is needed for servers and file
// systems without locks, and reveals that another folder has replaced the locked one. It never compares
// clocks, only whether the file changes.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../shared/errors.ts";
import { readIfThere, writeWhole } from "./files.ts";

const renewMs = 1_000;
/** After this time without a change, the holder is gone: three renewals, plus a slow disk. */
const silentMs = 4_000;
/** If two servers find no lease at the same time, both see within this time who wrote last. */
const settleMs = 1_500;

/** A running server's hold on its state folder. */
export interface StateLock {
  /**
   * Throws `internal` when another server has the folder or another folder has replaced it. Nothing may be
   * written then.
   */
  check(): Promise<void>;
  /** Releases the folder. */
  release(): Promise<void>;
}

/**
 * Whether another server renews a lease on the folder. Waits up to `silentMs` if there is a lease file. Does
 * not wait if the file's holder also had this kernel's lock, which is `ours` now.
 */
export async function isLeased(state: string, locked: "ours" | "none"): Promise<boolean> {
  const before = await read(state);
  if (before === undefined) return false;
  if (locked === "ours" && before.startsWith(lockedHere)) return false;
  for (let waited = 0; waited < silentMs; waited += renewMs / 2) {
    await pause(renewMs / 2);
    const now = await read(state);
    if (now !== before) return now !== undefined;
  }
  await rm(leaseIn(state), { force: true });
  return false;
}

/**
 * Takes a lease alone, without a lock. Resolves with undefined if another server renews one or was faster.
 */
export async function leaseState(state: string, onLost: () => void): Promise<StateLock | undefined> {
  if (await isLeased(state, "none")) return undefined;
  const lease = new Lease(state, "leased", onLost);
  await lease.write();
  await pause(settleMs);
  return (await lease.isOurs()) ? lease.renewed() : undefined;
}

/** The lease of a server that holds the kernel's lock of the folder, for servers that cannot see the lock. */
export async function leaseLocked(state: string, onLost: () => void): Promise<StateLock> {
  const lease = new Lease(state, lockedHere, onLost);
  await lease.write();
  return lease.renewed();
}

class Lease {
  readonly #state: string;
  readonly #id: string;
  readonly #isLocked: boolean;
  readonly #onLost: () => void;
  /** Device and inode of the folder when it was leased. */
  #folder = "";
  #count = 0;

  constructor(state: string, kind: string, onLost: () => void) {
    this.#state = state;
    this.#id = `${kind} ${randomBytes(16).toString("hex")} `;
    this.#isLocked = kind === lockedHere;
    this.#onLost = onLost;
  }

  async write(): Promise<void> {
    await writeWhole(leaseIn(this.#state), `${this.#id}${this.#count++}\n`, false);
    if (this.#folder === "") this.#folder = await folderOf(this.#state);
  }

  /**
   * Whether this server still has the folder. If the lease was deleted, only the lock can tell: without a
   * lock, the next server may take the folder.
   */
  async isOurs(): Promise<boolean> {
    if ((await folderOf(this.#state)) !== this.#folder) return false;
    const found = await read(this.#state);
    return found === undefined ? this.#isLocked : found.startsWith(this.#id);
  }

  /** A failed read, such as on a full disk, does not end the hold: no other server can write then either. */
  #isHeld(): Promise<boolean> {
    return this.isOurs().catch(() => true);
  }

  renewed(): StateLock {
    let renewing: Promise<void> | undefined;
    const timer = setInterval(() => {
      renewing = renew();
    }, renewMs);
    timer.unref();
    const lose = () => {
      clearInterval(timer);
      this.#onLost();
    };
    const renew = async () => {
      if (await this.#isHeld()) return this.write().catch(() => undefined);
      lose();
    };
    return {
      check: async () => {
        if (await this.#isHeld()) return;
        lose();
        throw new HandrailError("internal", taken, { retryable: true });
      },
      release: async () => {
        clearInterval(timer);
        // A renewal in progress would write the lease again, or end with this process and leave a temporary
        // file.
        await renewing;
        if (await this.isOurs().catch(() => false)) await rm(leaseIn(this.#state), { force: true });
      },
    };
  }
}

const taken = "This sandbox server has lost its state folder to another and ends now. Send it again.";

/**
 * Names this kernel, because a lock on another kernel cannot be seen here. If the kernel has no name, every
 * lease is waited for.
 */
const lockedHere = `locked ${bootId()}`;

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomBytes(16).toString("hex");
  }
}

async function folderOf(state: string): Promise<string> {
  const { dev, ino } = await stat(state, { bigint: true });
  return `${dev}:${ino}`;
}

function leaseIn(state: string): string {
  return join(state, "lease");
}

async function read(state: string): Promise<string | undefined> {
  return (await readIfThere(leaseIn(state)))?.toString("utf8");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
