// Posts turns and follows them as a program does: over real HTTP, with the project's own SSE parser and event
// schemas.
import { parseTurnEvent, type TurnEvent } from "../../shared/event.ts";
import { SseParser } from "../../shared/sse.ts";
import type { TurnRequestInput } from "../../shared/turn.ts";

export interface Target {
  /** Origin of the app. */
  url: string;
  token: string;
}

export function authorized(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** The answer to `POST /api/turn`, whose body has not been read. */
export function postTurn(
  target: Target,
  body: TurnRequestInput,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${target.url}/api/turn`, {
    method: "POST",
    headers: { ...authorized(target.token), "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

/**
 * Events as they arrive, until the stream ends. Throws for an answer that is not a stream, and for an event
 * that PROTOCOL does not name.
 */
export async function* eventsOf(response: Response): AsyncGenerator<TurnEvent, void> {
  if (!response.ok || !response.body)
    throw new Error(`no stream: ${response.status} ${await response.text()}`);
  const parser = new SseParser();
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    for (const { event, id, data } of parser.push(text)) {
      const parsed = parseTurnEvent(event, JSON.parse(data), id === undefined ? undefined : Number(id));
      if (parsed === undefined) throw new Error(`an event that PROTOCOL does not name: ${event}`);
      yield parsed;
    }
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
