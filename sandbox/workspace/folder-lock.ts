// Decides which work may run in a workspace folder at the same time. Fair: no claim overtakes a waiting one
// that it would disturb.
import { isInside } from "../paths/inside.ts";

/**
 * `read`: only reads. `run`: a command that may write; it runs beside readers, because we cannot control when
 * it writes anyway. `change`: our own writing, which runs alone.
 */
export type LockKind = "read" | "run" | "change";

const together: Record<LockKind, readonly LockKind[]> = { read: ["read", "run"], run: ["read"], change: [] };

interface Claim {
  root: string;
  kind: LockKind;
  go(): void;
}

/** The locks of all folders of one server, because work in a folder also affects those above and below it. */
export class FolderLocks {
  readonly #held: Claim[] = [];
  readonly #queue: Claim[] = [];

  /**
   * Runs `work` when no conflicting lock holds a folder that contains the one at the real path `root` or lies
   * in it.
   */
  async with<T>(root: string, kind: LockKind, work: () => Promise<T>): Promise<T> {
    const claim = await new Promise<Claim>((resolve) => {
      const claim: Claim = { root, kind, go: () => resolve(claim) };
      this.#queue.push(claim);
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#held.splice(this.#held.indexOf(claim), 1);
      this.#admit();
    }
  }

  #admit(): void {
    const waiting: Claim[] = [];
    for (const claim of this.#queue.splice(0)) {
      const isFree = [...this.#held, ...waiting].every((other) => !disturb(other, claim));
      if (!isFree) {
        waiting.push(claim);
        continue;
      }
      this.#held.push(claim);
      claim.go();
    }
    this.#queue.push(...waiting);
  }
}

function disturb(one: Claim, other: Claim): boolean {
  const overlap = isInside(one.root, other.root) || isInside(other.root, one.root);
  return overlap && !together[one.kind].includes(other.kind);
}

/** The lock of one folder. */
export class FolderLock {
  readonly #root: string;
  readonly #locks: FolderLocks;

  constructor(root: string, locks: FolderLocks) {
    this.#root = root;
    this.#locks = locks;
  }

  with<T>(kind: LockKind, work: () => Promise<T>): Promise<T> {
    return this.#locks.with(this.#root, kind, work);
  }
}
