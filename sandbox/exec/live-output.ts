// Live text of a command: gathered, in the order of its arrival, without escape sequences and secrets, as in the result;
// stops at the limit, since the result brings head and tail. A piece's offset is the count of bytes sent of its stream before.
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { RedactingStream } from "../../shared/redact/stream.ts";
import { PlainPieces } from "./ansi.ts";
import { Utf8Chunks } from "./utf8-chunks.ts";

export type StreamName = "stdout" | "stderr";

interface Stream {
  decoder: Utf8Chunks;
  /** Before the secrets: a colour in the middle of one hides it from the rules, and not from who reads it. */
  plain: PlainPieces;
  redacting: RedactingStream;
  sentBytes: number;
}

/** Live text is gathered for so long, so that a line is not sent a byte at a time. */
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
    // Where output was cut, the text held back may be the first half of a secret.
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
