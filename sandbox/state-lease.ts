// A lease on the state folder, for file systems and machines without locks: a file that its holder changes again and
// again. Clocks are never compared, only whether the file changes.
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere, writeWhole } from "./files.ts";

const renewMs = 1_000;
/** Without a change for so long, its holder is gone: three renewals, and a slow disk. */
const silentMs = 4_000;
/** Of two that find nobody, the later writer is seen by both within this time. */
const settleMs = 1_500;

/** `release` lets go of the folder. */
export interface StateLock {
  release(): Promise<void>;
}

/** Whether another server renews a lease on the folder. Takes `silentMs` where one was left behind. */
export async function isLeased(state: string): Promise<boolean> {
  const before = await read(state);
  if (before === undefined) return false;
  for (let waited = 0; waited < silentMs; waited += renewMs / 2) {
    await pause(renewMs / 2);
    const now = await read(state);
    if (now !== before) return now !== undefined;
  }
  await rm(leaseIn(state), { force: true });
  return false;
}

/** Resolves with undefined where somebody else renews the lease, or was faster. */
export async function leaseState(state: string, onLost: () => void): Promise<StateLock | undefined> {
  if (await isLeased(state)) return undefined;
  const id = randomBytes(16).toString("hex");
  let count = 0;
  const write = () => writeWhole(leaseIn(state), `${id} ${count++}\n`, false);
  const isOurs = async () => (await read(state))?.startsWith(id) ?? false;
  await write();
  await pause(settleMs);
  if (!(await isOurs())) return undefined;
  const timer = setInterval(() => void renew(), renewMs);
  timer.unref();
  const renew = async () => {
    // A full disk keeps nobody from holding on to what nobody else can write either.
    const ours = await isOurs().catch(() => true);
    if (ours) return write().catch(() => undefined);
    clearInterval(timer);
    onLost();
  };
  return {
    async release() {
      clearInterval(timer);
      if (await isOurs().catch(() => false)) await rm(leaseIn(state), { force: true });
    },
  };
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
