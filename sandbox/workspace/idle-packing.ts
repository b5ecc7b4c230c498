// Packs the snapshots of folders while this server is idle. Other work on a folder's snapshots interrupts it;
// see Snapshots.
import type { Folders } from "./folder.ts";

export interface IdlePackingOptions {
  folders: Folders;
  /** Whether any work is running. */
  isBusy(): boolean;
  everyMs: number;
  warn(message: string): void;
}

export class IdlePacking {
  readonly #options: IdlePackingOptions;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;
  #ended = false;

  constructor(options: IdlePackingOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#round ??= this.#pack().finally(() => {
        this.#round = undefined;
      });
    }, options.everyMs);
    this.#timer.unref();
  }

  /** Resolves when no packing is running any more. */
  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#timer);
    for (const folder of await this.#options.folders.opened()) folder.snapshots.interruptPacking();
    await this.#round;
  }

  async #pack(): Promise<void> {
    const { folders, isBusy, warn } = this.#options;
    for (const { snapshots } of await folders.opened()) {
      if (this.#ended || isBusy()) return;
      await snapshots
        .packIfLoose()
        .catch((error: unknown) =>
          warn(`snapshots could not be packed: ${error instanceof Error ? error.message : "unknown"}`),
        );
    }
  }
}
