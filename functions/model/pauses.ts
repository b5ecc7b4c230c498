// How long to wait before a model is asked again, and when to give up.
import type { Failure } from "./failure.ts";

const limits = {
  /** Tries after an answer that broke off: each costs what the whole answer does. */
  brokenRetries: 2,
  /** All pauses of one question together, where the provider limits requests or is overloaded: a person still waits. */
  patienceMs: 60_000,
  /** The first pause; doubles, with jitter. */
  firstMs: 500,
  firstPatientMs: 1_000,
  longestMs: 16_000,
} as const;

export class Pauses {
  readonly #maxRetries: number | undefined;
  #retries = 0;
  #waitedMs = 0;

  constructor(maxRetries: number | undefined) {
    this.#maxRetries = maxRetries;
  }

  /** Milliseconds before the next try; undefined = there is none. */
  before({ retry, patient, retryAfterMs = 0 }: Failure): number | undefined {
    const most = this.#maxRetries ?? (patient ? Infinity : limits.brokenRetries);
    const leftMs = limits.patienceMs - this.#waitedMs;
    if (!retry || this.#retries >= most || leftMs <= 0 || retryAfterMs > leftMs) return undefined;
    const first = patient ? limits.firstPatientMs : limits.firstMs;
    const grown = Math.min(limits.longestMs, first * 2 ** this.#retries);
    // Add jitter even to a requested delay; otherwise all clients that were refused together retry together.
    return retryAfterMs + grown * (0.5 + Math.random() / 2);
  }

  took(waitMs: number): void {
    this.#retries += 1;
    this.#waitedMs += waitMs;
  }
}
