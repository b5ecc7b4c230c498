// Who may work in one workspace folder at the same time. Fair: nobody overtakes one who waits.

/**
 * `read`: looks only. `run`: a command that may write; it runs beside readers, since what it writes is not
 * in our hands anyway. `change`: our own writing, alone.
 */
export type LockKind = "read" | "run" | "change";

const together: Record<LockKind, readonly LockKind[]> = { read: ["read", "run"], run: ["read"], change: [] };

interface Waiting {
  kind: LockKind;
  go(): void;
}

export class FolderLock {
  readonly #held: LockKind[] = [];
  readonly #queue: Waiting[] = [];

  /** Runs `work` when nothing that excludes `kind` holds the folder. */
  async with<T>(kind: LockKind, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((go) => {
      this.#queue.push({ kind, go });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#held.splice(this.#held.indexOf(kind), 1);
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const { kind, go } = next;
      if (!this.#held.every((held) => together[kind].includes(held))) return;
      this.#queue.shift();
      this.#held.push(kind);
      go();
    }
  }
}
