// Tracks all connections of one command and closes them when they are idle, exceed the limit, or the command ends.
import type { Socket } from "node:net";
import type { ProxyLimits } from "./proxy-limits.ts";

/** How often the bytes of all connections are added up. */
const lookMs = 1_000;

export class Traffic {
  readonly #open = new Set<Socket>();
  readonly #looking: NodeJS.Timeout;
  #closedBytes = 0;
  #over = false;

  constructor(private readonly most: Pick<ProxyLimits, "bytes" | "idleMs">) {
    this.#looking = setInterval(() => {
      if (this.bytes > most.bytes) this.end();
    }, lookMs).unref();
  }

  /** Bytes read on all connections so far, in both directions. */
  get bytes(): number {
    return [...this.#open].reduce((sum, { bytesRead }) => sum + bytesRead, this.#closedBytes);
  }

  /** Counts the bytes that `socket` reads, and ends it when it is silent or when all connections end. */
  watch(socket: Socket): void {
    if (this.#over) {
      socket.destroy();
      return;
    }
    if (this.#open.has(socket)) return;
    this.#open.add(socket);
    socket.setTimeout(this.most.idleMs, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#closedBytes += socket.bytesRead;
    });
  }

  end(): void {
    this.#over = true;
    clearInterval(this.#looking);
    for (const socket of this.#open) socket.destroy();
  }
}
