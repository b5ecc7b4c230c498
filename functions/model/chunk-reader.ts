// Bytes of a provider's answer → JSON chunks, however they are cut. Knows framing only: no meaning of a chunk.
import { isRecord } from "../../shared/is-record.ts";
import { type JsonRecord, parseJson, parseRecord } from "./json-value.ts";

/** No provider sends a line of this size; an endless one must not fill the memory. */
const maxLineChars = 8 * 1024 * 1024;

/** Anthropic's and OpenAI's events that keep a connection open. */
const pings = new Set<unknown>(["ping", "keepalive"]);

/**
 * Takes an SSE stream with LF, CRLF or CR, comments, keep-alives, several events a read, JSON over several
 * `data:` lines, blank lines or `[DONE]` missing; also one JSON body, or JSON lines, instead of a stream.
 */
export class ChunkReader {
  #decoder = new TextDecoder();
  #rest = "";
  #endedInCr = false;
  /** `data:` lines whose JSON is not complete yet. */
  #pending = "";
  /** Brackets that `#pending` has not closed yet. */
  #open = 0;
  #event = "";
  /** Lines that are not SSE: perhaps a plain body. */
  #plain = "";
  #chunks: JsonRecord[] = [];

  /** `[DONE]` was seen. */
  done = false;
  /** Something that should have been JSON was not: the stream cannot be trusted to be whole. */
  broken = false;

  /** The chunks that `bytes` complete. */
  push(bytes: Uint8Array): JsonRecord[] {
    return this.#text(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Text after the last line end, and a body that was not a stream. */
  finish(): JsonRecord[] {
    this.#text(this.#decoder.decode());
    const rest = this.#rest;
    this.#rest = "";
    if (rest !== "") this.#line(rest);
    this.#line("");
    if (this.#plain.trim() !== "") this.#plainBody();
    return this.#take();
  }

  /** Beginning of a body that was neither a stream nor JSON, for the error's text. */
  get plainText(): string {
    return this.#plain.trim().slice(0, 200);
  }

  #text(decoded: string): JsonRecord[] {
    // A CRLF cut in half is one line end.
    const text = this.#endedInCr && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    if (decoded !== "") this.#endedInCr = decoded.endsWith("\r");
    const hasCr = text.includes("\r");
    if (!hasCr && !text.includes("\n")) {
      this.#rest += text;
      if (this.#rest.length > maxLineChars) this.#overflow();
      return this.#take();
    }
    const lines = (this.#rest + text).split(hasCr ? /\r\n|\n|\r/ : "\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
    return this.#take();
  }

  #overflow(): void {
    this.broken = true;
    this.#rest = "";
  }

  #take(): JsonRecord[] {
    const chunks = this.#chunks;
    if (chunks.length > 0) this.#chunks = [];
    return chunks;
  }

  #line(line: string): void {
    if (line.startsWith("data:")) {
      this.#data(line.slice(5).trim());
    } else if (line === "") {
      if (this.#pending !== "") this.broken = true;
      this.#pending = "";
      this.#event = "";
    } else if (line.startsWith("event:")) {
      this.#event = line.slice(6).trim();
    } else if (!line.startsWith(":") && !/^(id|retry)(:|$)/.test(line)) {
      this.#plain += `${line}\n`;
      if (this.#plain.length > maxLineChars) this.#overflow();
    }
  }

  #data(payload: string): void {
    if (payload === "[DONE]") {
      this.done = true;
      return;
    }
    if (this.#pending === "" && !payload.startsWith("{")) {
      // Plain words that keep a connection alive are not chunks; an error in words is one.
      if (this.#event === "error") this.#chunks.push({ error: { message: payload } });
      return;
    }
    const begun = this.#pending !== "";
    const text = begun ? `${this.#pending}\n${payload}` : payload;
    if (begun) this.#open += openedIn(payload);
    // Parsed where it may be whole, not with every line: that would be the square of them.
    const chunk = begun && this.#open > 0 ? undefined : parseRecord(text);
    this.#pending = chunk === undefined ? text : "";
    if (chunk !== undefined && !pings.has(chunk.type))
      this.#chunks.push(this.#event === "error" && !("error" in chunk) ? { error: chunk } : chunk);
    else if (!begun) this.#open = openedIn(payload);
    if (chunk !== undefined || (this.#open > 0 && text.length <= maxLineChars)) return;
    this.broken = true;
    this.#pending = "";
  }

  #plainBody(): void {
    const whole = parseJson(this.#plain);
    if (whole !== undefined) {
      for (const chunk of Array.isArray(whole) ? whole : [whole])
        if (isRecord(chunk)) this.#chunks.push(chunk);
      return;
    }
    for (const line of this.#plain.split("\n")) {
      const chunk = parseRecord(line);
      if (chunk !== undefined) this.#chunks.push(chunk);
      else if (line.trim().startsWith("{")) this.broken = true;
    }
  }
}

/** Brackets that `line` opens and does not close; those in strings, which end with their line, are none. */
function openedIn(line: string): number {
  let open = 0;
  for (const [bracket] of line.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/g, "").matchAll(/[{}]/g))
    open += bracket === "{" ? 1 : -1;
  return open;
}
