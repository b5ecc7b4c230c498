// An NDJSON answer that is written as things happen. A reader that goes away ends the stream, nothing else.
import { limits } from "../limits.ts";

export interface LineSink {
  /** Sends one line; nothing happens once the reader is gone. */
  line(value: unknown): void;
  /** Sends text that consists of whole lines. */
  text(text: string): void;
  /** Aborted when the reader went away. */
  gone: AbortSignal;
}

/** Runs `work` with a sink and closes the answer when it resolves. A ping goes out when nothing else did for a while. */
export function ndjsonAnswer(requestId: string, work: (sink: LineSink) => Promise<void>): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let timer: NodeJS.Timeout | undefined;
      const text = (chunk: string) => {
        if (gone.signal.aborted || chunk === "") return;
        controller.enqueue(encoder.encode(chunk));
        timer?.refresh();
      };
      timer = setInterval(() => text('{"type":"ping"}\n'), limits.pingMs);
      const close = () => {
        clearInterval(timer);
        if (!gone.signal.aborted) controller.close();
      };
      gone.signal.addEventListener("abort", () => clearInterval(timer));
      work({ line: (value) => text(`${JSON.stringify(value)}\n`), text, gone: gone.signal }).then(
        close,
        close,
      );
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
