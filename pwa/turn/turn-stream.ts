// Reads the events of a turn from a streamed answer, with a watchdog for silent streams.
import { HandrailError } from "../../shared/errors.ts";
import { isDurable, parseTurnEvent, type TurnEvent } from "../../shared/event.ts";
import { SseParser } from "../../shared/sse.ts";

/**
 * 2.5 times the longest pause between heartbeats. A stream that is silent for longer is dead, even if the browser
 * thinks it is open.
 */
export const watchdogMs = 25_000;

/** `gap`: an event came without its predecessor, or the server says that it did not keep some events. */
export type StreamEnd = "finished" | "interrupted" | "closed" | "broken" | "gap";

export interface StreamReader {
  /** Called once per chunk that contained events. */
  onEvents(events: TurnEvent[]): void;
  /** Ends the returned promise, which never resolves if `signal` aborts first. */
  silence(ms: number, signal: AbortSignal): Promise<void>;
  /** True to continue reading even if events are missing. */
  pastGaps?: boolean;
}

/**
 * Reads to the end of the stream. `finished`: a last event came. `interrupted`: the engine said so. `closed`: the
 * stream ended regularly without a last event. `broken`: it was cut, was silent, or contained data that does not parse.
 * An error: the server's history of the turn is a different one. Never throws.
 */
export async function readTurnStream(
  response: Response,
  after: number,
  reader: StreamReader,
): Promise<StreamEnd | HandrailError> {
  const body = response.body;
  if (body === null) return "broken";
  const stream = body.getReader();
  const decoder = new TextDecoder();
  const parser = new SseParser();
  let last = after;
  let end: StreamEnd = "broken";
  try {
    for (;;) {
      const chunk = await readOrSilence(stream, reader);
      if (typeof chunk === "string") return end === "broken" ? chunk : end;
      const events: TurnEvent[] = [];
      try {
        for (const { event, data, id, seen } of parser.push(decoder.decode(chunk, { stream: true }))) {
          const parsed = parseTurnEvent(event, JSON.parse(data), id === undefined ? undefined : Number(id));
          if (parsed === undefined) continue;
          if (parsed.event === "gap" && parsed.data.through > last && reader.pastGaps !== true) return "gap";
          if (parsed.event === "interrupted" && parsed.data.error.code === "history_differs") {
            const { code, message, details } = parsed.data.error;
            return new HandrailError(code, message, details === undefined ? {} : { details });
          }
          if (isDurable(parsed)) {
            if (parsed.id > last + 1 && reader.pastGaps !== true) return "gap";
            last = Math.max(last, parsed.id);
          }
          events.push(seen !== undefined && isDurable(parsed) ? { ...parsed, seen } : parsed);
          if (parsed.event === "turn.done" || parsed.event === "turn.failed") end = "finished";
          if (parsed.event === "interrupted") end = "interrupted";
        }
      } finally {
        // Complete events before a gap or a broken event count.
        if (events.length > 0) reader.onEvents(events);
      }
      if (end === "finished") return end;
    }
  } catch {
    return end;
  } finally {
    stream.cancel().catch(() => undefined);
  }
}

/** The next chunk; `closed` at the end of the stream, `broken` after a silence of `watchdogMs`. */
async function readOrSilence(
  stream: ReadableStreamDefaultReader<Uint8Array>,
  reader: StreamReader,
): Promise<Uint8Array | "closed" | "broken"> {
  const over = new AbortController();
  try {
    const silence = reader.silence(watchdogMs, over.signal).then(() => undefined);
    const result = await Promise.race([stream.read(), silence]);
    if (result === undefined) return "broken";
    return result.done ? "closed" : result.value;
  } finally {
    over.abort();
  }
}
