// One request and its streamed answer, from bytes to events. It never retries.
import { HandrailError } from "../../shared/errors.ts";
import type { ModelAnswer } from "./answer.ts";
import { type BodyReader, type ReadBody, readAsItComes } from "./body-reader.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { Failure } from "./failure.ts";
import type { DeltaEvent, ModelEvent } from "./model-event.ts";
import { settingNames } from "./presets.ts";
import type { Provider } from "./provider.ts";
import { askedOf, failureOf, type Send, send } from "./send.ts";
import { SilenceWatch, type Sleep } from "./sleep.ts";

export interface ModelRequest extends Send {
  elapsed(): number;
  sleep: Sleep;
  readBody: ReadBody | undefined;
  answer: ModelAnswer;
  /** How long the provider may be silent before its first token. */
  waitMs: number | undefined;
  /** Called with each delta, in order with the yielded events; absent = deltas are yielded too. */
  say: ((piece: DeltaEvent) => void) | undefined;
}

const waits = {
  /** Before its first token a model may think for minutes, and the provider may send none of that. */
  firstMs: 5 * 60_000,
  /**
   * How long it may be silent after its first token: some providers hold back a call until all of its
   * arguments are written.
   */
  silenceMs: 3 * 60_000,
  /** How long a model may be queued, or think, while the provider sends only comments. */
  pingsMs: 10 * 60_000,
  /** How long to wait for usage after the finish reason before the answer counts as complete without it. */
  afterFinishMs: 5_000,
  /**
   * How long to wait for the end of the body after `[DONE]`: a connection can be reused only if it was read to its end.
   */
  afterDoneMs: 50,
} as const;

/** Yields until `end`; stops without it when `signal` is aborted. Throws Failure and nothing else. */
export async function* requestModel(asked: ModelRequest): AsyncGenerator<ModelEvent> {
  const { answer, signal, provider } = asked;
  const socket = new AbortController();
  const stop = () => socket.abort();
  let silent = false;
  const fallSilent = () => {
    silent = true;
    socket.abort();
  };
  // Ends everything that waits for this attempt, but not a connection that was read to its end.
  const over = new AbortController();
  let limitMs = asked.waitMs ?? waits.firstMs;
  let watch = new SilenceWatch(asked, limitMs, over.signal, fallSilent);
  const watchAnew = (forMs: number) => {
    watch.end();
    limitMs = forMs;
    watch = new SilenceWatch(asked, forMs, over.signal, fallSilent);
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const reader = new ChunkReader();
  let received = false;
  let spoken = false;
  let closing = false;
  let readToEnd = false;
  let pingedSinceMs: number | undefined;
  let body: BodyReader | undefined;
  try {
    const response = await send({ ...asked, signal: socket.signal });
    body = response.body ? (asked.readBody ?? readAsItComes)(response.body) : undefined;
    socket.signal.addEventListener("abort", () => body?.end(), { once: true });
    while (body !== undefined && !reader.done && !answer.over && !reader.broken) {
      const { done, value } = await body.read();
      if (done) socket.signal.throwIfAborted();
      readToEnd = done;
      if (done || value === undefined) break;
      const chunks = reader.push(value);
      // SSE comments keep the connection alive but do not count as progress.
      if (chunks.length > 0) pingedSinceMs = undefined;
      else pingedSinceMs ??= asked.elapsed();
      const pingsMs = closing ? 0 : waits.pingsMs;
      if (pingedSinceMs === undefined || asked.elapsed() - pingedSinceMs < pingsMs) watch.heard();
      received ||= chunks.length > 0;
      const events = answer.push(chunks);
      if (answer.error !== undefined) throw await failureIn(asked, answer.error);
      for (const event of unsaid(asked, events)) yield event;
      // Responses and Messages send their first event immediately and are then silent while the model thinks.
      if (!spoken && !answer.empty) {
        spoken = true;
        watchAnew(Math.min(waits.silenceMs, limitMs));
      }
      if (answer.finished && !closing && !reader.done && !answer.over && !silent) {
        closing = true;
        watchAnew(waits.afterFinishMs);
      }
    }
    if ((reader.done || answer.over) && body !== undefined) {
      const last = await Promise.race([body.read(true), asked.sleep(waits.afterDoneMs, over.signal)]);
      socket.signal.throwIfAborted();
      readToEnd = last?.done ?? false;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Failure && !silent) throw error;
    // An error after the finish reason loses nothing.
    if (!answer.finished) throw silent ? silence(provider, limitMs) : cut(provider, error);
  } finally {
    signal.removeEventListener("abort", stop);
    watch.end();
    body?.end();
    // Pass a string reason: building an Error with a stack dominates the teardown.
    over.abort("over");
    if (!readToEnd) socket.abort();
  }
  const last = reader.finish();
  const events = answer.push(last);
  if (answer.error !== undefined) throw await failureIn(asked, answer.error);
  for (const event of unsaid(asked, events)) yield event;
  if (!received && last.length === 0 && reader.plainText !== "") throw noCompletion(provider);
  if (reader.broken || answer.brokeOff || !(reader.done || answer.finished)) throw cut(provider);
  for (const event of unsaid(asked, answer.finish())) yield event;
}

/** Yields the events that need an action, and passes pieces of text directly to `say`. */
function* unsaid({ say }: ModelRequest, events: readonly ModelEvent[]): Generator<ModelEvent> {
  for (const event of events) {
    if (say !== undefined && "delta" in event) say(event);
    else yield event;
  }
}

/** The failure that an error inside the stream means. Other chunks that arrived with it are ignored. */
function failureIn(
  asked: ModelRequest,
  { message, code, status, body }: NonNullable<ModelAnswer["error"]>,
): Promise<Failure> {
  return failureOf(askedOf(asked), {
    status: status ?? (/rate.?limit/i.test(code) ? 429 : 0),
    body: { ...body, message, code },
  });
}

function silence({ label }: Provider, forMs: number): Failure {
  const error = new HandrailError(
    "timeout",
    `${label} sent nothing for ${Math.round(forMs / 1000)} seconds. Try again, choose another model, or let it think longer (HANDRAIL_WAIT, or waitSeconds of the model).`,
  );
  return new Failure(error, { retry: false });
}

function cut({ label }: Provider, cause?: unknown): Failure {
  const error = new HandrailError(
    "model_error",
    `The answer of ${label} broke off before it was complete. Try again.`,
    { retryable: true, cause },
  );
  return new Failure(error, { retry: true });
}

function noCompletion(provider: Provider): Failure {
  const { url } = settingNames(provider);
  return new Failure(
    new HandrailError(
      "model_error",
      `${provider.label} answered with something that is not a chat completion. Check ${url}: it usually ends in /v1.`,
    ),
    { retry: false },
  );
}
