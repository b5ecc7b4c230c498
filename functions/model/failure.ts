// A failed attempt to get an answer. The meaning of a provider's refusal is determined in refusal.ts, which is loaded
// with the first one.
import type { HandrailError } from "../../shared/errors.ts";
import type { Provider, Refused } from "./provider.ts";

/** A failed attempt; thrown and caught only inside this folder. */
export class Failure extends Error {
  readonly error: HandrailError;
  readonly retry: boolean;
  /** Whether a retry costs only time, because the provider limits requests, is overloaded or fails. */
  readonly patient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly refused: Refused | undefined;
  /** The model's text if it was a call that could not be read. It is quoted to the model when it is asked again. */
  readonly misspoke: string | undefined;

  constructor(
    error: HandrailError,
    options: {
      retry: boolean;
      patient?: boolean;
      retryAfterMs?: number | undefined;
      refused?: Refused | undefined;
      misspoke?: string | undefined;
    },
  ) {
    super(error.message);
    this.error = error;
    this.retry = options.retry;
    this.patient = options.patient ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.refused = options.refused;
    this.misspoke = options.misspoke;
  }
}

export interface SentRequest {
  provider: Provider;
  modelId: string;
  /** Whether a key was sent. */
  withKey: boolean;
  /** Whether it was the person's own key rather than the server's. */
  ownKey: boolean;
  /** Removed from any text that the provider sends back. */
  secret: string | undefined;
  /** Whether images were sent. */
  withImages: boolean;
}

export interface Answered {
  /** HTTP status, or the status in an error inside a stream; 0 = none. */
  status: number;
  /** The provider's error, as an object or as text. */
  body: unknown;
  retryAfterMs?: number | undefined;
}
