// A streamed body with a fault point at every part. It breaks when a side dies, or in the middle of a part.
import { Torn } from "./faults.ts";

/** The whole parts at the beginning of `text`, and the rest. A part includes its `end`. */
function wholeParts(text: string, end: string): { parts: string[]; rest: string } {
  const pieces = text.split(end);
  const rest = pieces.pop() ?? "";
  return { parts: pieces.map((piece) => piece + end), rest };
}

/** Returns the fault that tears the current part, if any. Throws if the stream breaks before the part. */
async function tearOf(passing: Promise<void>): Promise<Torn | undefined> {
  try {
    await passing;
    return undefined;
  } catch (error) {
    if (error instanceof Torn && error.share > 0) return error;
    throw error;
  }
}

export interface Passage {
  /** The end of a part: of a line or an event. */
  end: string;
  /** Called before each part is passed on; throwing breaks the body. */
  pass(part: string): Promise<void>;
  /** Called for each wait for more of the body. */
  waits?(reading: Promise<unknown>): void;
  /** Breaks the body immediately. */
  broken: AbortSignal;
  /** Called when nothing more is read: the body is complete or broke, or its reader cancelled. */
  onEnd?(): void;
}

/** `response` with its body cut into parts that are passed on one by one. */
export function withPassage(response: Response, passage: Passage): Response {
  if (!response.body) {
    passage.onEnd?.();
    return response;
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let waiting: string[] = [];
  let rest = "";
  let torn: Torn | undefined;
  const gone = () => {
    passage.onEnd?.();
    reader.cancel().catch(() => undefined);
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        const breakOff = () => {
          try {
            controller.error(passage.broken.reason);
          } catch {
            // The stream has ended already.
          }
          gone();
        };
        if (passage.broken.aborted) breakOff();
        else passage.broken.addEventListener("abort", breakOff, { once: true });
      },
      async pull(controller) {
        try {
          if (torn?.cleanly) {
            gone();
            controller.close();
            return;
          }
          if (torn) throw torn;
          while (waiting.length === 0) {
            const reading = reader.read();
            passage.waits?.(reading);
            const { done, value } = await reading;
            if (done) {
              if (rest !== "") controller.enqueue(encoder.encode(rest));
              passage.onEnd?.();
              controller.close();
              return;
            }
            ({ parts: waiting, rest } = wholeParts(
              rest + decoder.decode(value, { stream: true }),
              passage.end,
            ));
          }
          const part = waiting.shift() ?? "";
          const bytes = encoder.encode(part);
          torn = await tearOf(passage.pass(part));
          controller.enqueue(torn ? bytes.subarray(0, Math.max(1, bytes.length * torn.share)) : bytes);
        } catch (error) {
          gone();
          throw error;
        }
      },
      cancel: gone,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
