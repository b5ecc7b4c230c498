// Sends the output of a running command. It collects the output in the order of its arrival, without escape
// sequences and secrets, as in the result. It stops at a limit, because the result contains the head and the
// tail of the output. The offset of a piece is the number of bytes of its stream that were sent before it.
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { RedactingStream } from "../../shared/redact/stream.ts";
import { PlainPieces } from "./ansi.ts";
import { Utf8Chunks } from "./utf8-chunks.ts";

export type StreamName = "stdout" | "stderr";

interface Stream {
  decoder: Utf8Chunks;
  /**
   * Runs before secrets are removed: a colour code in the middle of a secret would hide it from the rules,
   * but not from the reader.
   */
  plain: PlainPieces;
  redacting: RedactingStream;
  sentBytes: number;
}

/** How long output is collected before it is sent, so that a line is not sent byte by byte. */
const gatherMs = 25;

export class LiveOutputSender {
  readonly #maxBytes: number;
  readonly #send: (stream: StreamName, offset: number, text: string) => void;
  readonly #streams: Record<StreamName, Stream>;
  #waiting: { stream: StreamName; text: string }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #takenBytes = 0;
  #cut = false;

  constructor(
    maxBytes: number,
    redactor: Redactor,
    send: (stream: StreamName, offset: number, text: string) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#send = send;
    const stream = () => ({
      ...{ decoder: new Utf8Chunks(), plain: new PlainPieces(), redacting: redactor.stream() },
      sentBytes: 0,
    });
    this.#streams = { stdout: stream(), stderr: stream() };
  }

  push(stream: StreamName, chunk: Buffer): void {
    const part = chunk.subarray(0, this.#maxBytes - this.#takenBytes);
    this.#takenBytes += part.length;
    this.#cut ||= part.length < chunk.length;
    const { decoder, plain, redacting } = this.#streams[stream];
    this.#gather(stream, redacting.push(plain.push(decoder.push(part))));
  }

  /** Sends the remaining text when both streams have ended. */
  end(): void {
    // If output was cut, the text held back may be the first half of a secret.
    if (!this.#cut) {
      for (const stream of ["stdout", "stderr"] as const) {
        const { decoder, plain, redacting } = this.#streams[stream];
        const rest = plain.push(decoder.end()) + plain.end();
        this.#gather(stream, redacting.push(rest) + redacting.end());
      }
    }
    this.#flush();
  }

  #gather(stream: StreamName, text: string): void {
    if (text === "") return;
    const last = this.#waiting.at(-1);
    if (last?.stream === stream) last.text += text;
    else this.#waiting.push({ stream, text });
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { stream, text } of this.#waiting.splice(0)) {
      const state = this.#streams[stream];
      this.#send(stream, state.sentBytes, text);
      state.sentBytes += Buffer.byteLength(text);
    }
  }
}
