// A failed attempt to get an answer. What a provider's refusal means is in refusal.ts, which is loaded with the first one.
import type { HandrailError } from "../../shared/errors.ts";
import type { Provider, Refused } from "./provider.ts";

/** A failed attempt: thrown and caught inside this folder only. */
export class Failure extends Error {
  readonly error: HandrailError;
  readonly retry: boolean;
  /** It costs nothing but time to try again: the provider limits requests, or is overloaded or failing. */
  readonly patient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly refused: Refused | undefined;
  /** What the model wrote instead of a call that could be read: told to it when it is asked again. */
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
  /** Whether a key was sent at all. */
  withKey: boolean;
  /** Whether it was the person's own and not the server's. */
  ownKey: boolean;
  /** Taken out of any text that the provider sends back. */
  secret: string | undefined;
  /** Whether images were sent. */
  withImages: boolean;
}

export interface Answered {
  /** HTTP status, or the status named by an error inside a stream; 0 = none. */
  status: number;
  /** The provider's error: an object, or text. */
  body: unknown;
  retryAfterMs?: number | undefined;
}
