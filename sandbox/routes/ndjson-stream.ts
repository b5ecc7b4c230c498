// An NDJSON response that is written as things happen. A reader that leaves ends only the stream.
import * as limits from "../limits.ts";

export interface LineSink {
  /** Sends one line; ignored after the reader has left. */
  line(value: unknown): void;
  /** Sends text of whole lines. Resolves when the reader has taken the earlier text or has left. */
  text(text: string): Promise<void>;
  /** Aborted when the reader has left. */
  gone: AbortSignal;
}

/**
 * Runs `work` with a sink and closes the response when it resolves. Sends a ping after a while without other
 * lines.
 */
export function ndjsonAnswer(requestId: string, work: (sink: LineSink) => Promise<void>): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  let taken: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let timer: NodeJS.Timeout | undefined;
      const send = (chunk: string) => {
        if (gone.signal.aborted || chunk === "") return;
        controller.enqueue(encoder.encode(chunk));
        timer?.refresh();
      };
      const text = async (chunk: string) => {
        send(chunk);
        if (gone.signal.aborted || (controller.desiredSize ?? 1) > 0) return;
        await new Promise<void>((resolve) => {
          taken = resolve;
        });
      };
      const ping = () => {
        // A client that does not read gets no pings, which would only pile up.
        if ((controller.desiredSize ?? 1) > 0) send('{"type":"ping"}\n');
      };
      timer = setInterval(ping, limits.pingMs);
      const close = () => {
        clearInterval(timer);
        if (!gone.signal.aborted) controller.close();
      };
      gone.signal.addEventListener("abort", () => {
        clearInterval(timer);
        taken();
      });
      const line = (value: unknown) => send(`${JSON.stringify(value)}\n`);
      work({ line, text, gone: gone.signal }).then(close, close);
    },
    pull() {
      taken();
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "application/x-ndjson",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-request-id": requestId,
    },
  });
}
