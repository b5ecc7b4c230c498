// The stream of a turn as the bytes of its events, each as it was sent and parsed. It does not use our own
// client.
import { parseTurnEvent, type TurnEvent } from "../../shared/event.ts";

export interface WireEvent {
  /** The block as it was sent, including the empty line after it. */
  text: string;
  event: TurnEvent;
  /** The running hash of a durable event. */
  seen: string | undefined;
}

/** Throws for an event that PROTOCOL does not name, and when `signal` is aborted. Ends with the stream. */
export async function* wireEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<WireEvent, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunksUntil(body, signal)) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const name = field("event");
      if (name === undefined) continue;
      const id = field("id");
      const event = parseTurnEvent(
        name,
        JSON.parse(field("data") ?? ""),
        id === undefined ? undefined : Number(id),
      );
      if (!event) throw new Error(`an event that PROTOCOL does not name: ${name}`);
      yield { text: `${block}\n\n`, event, seen: field("seen") };
    }
  }
}

/** The chunks of a body. Throws as soon as `signal` is aborted. */
async function* chunksUntil(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  // On Node 20, the body of a compressed answer that is aborted while its last bytes are decompressed neither
  // ends nor fails.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The whole body. Throws as soon as `signal` is aborted. */
export async function textUntil({ body }: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (body)
    for await (const chunk of chunksUntil(body, signal)) text += decoder.decode(chunk, { stream: true });
  return text;
}

/** The part of an event that must be identical. A sender may add the running hash only if it knows it. */
export function withoutHash(text: string): string {
  return text.replace(/^seen: .*\n/m, "");
}
