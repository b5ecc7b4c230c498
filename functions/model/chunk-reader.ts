// Splits the bytes of a provider's answer into JSON chunks, wherever they are cut. It knows only framing and not the
// meaning of a chunk.
import { isRecord } from "../../shared/is-record.ts";
import { type JsonRecord, parseJson, parseRecord } from "./json-value.ts";

/** No provider sends a line of this length; the limit keeps an endless line from filling the memory. */
const maxLineChars = 8 * 1024 * 1024;

/** Events that keep a connection open, at Anthropic and OpenAI. */
const pings = new Set<unknown>(["ping", "keepalive"]);

/**
 * Accepts an SSE stream with LF, CRLF or CR, comments, keep-alives, several events in one read, and JSON over several
 * `data:` lines; blank lines or `[DONE]` may be missing. Also accepts one JSON body, or JSON lines, in place of a
 * stream.
 */
export class ChunkReader {
  #decoder = new TextDecoder();
  #rest = "";
  #endedInCr = false;
  /** `data:` lines whose JSON is still incomplete. */
  #pending = "";
  /** The number of brackets in `#pending` that are not closed yet. */
  #open = 0;
  #event = "";
  /** Lines that are not SSE; they may form a plain body. */
  #plain = "";
  #chunks: JsonRecord[] = [];

  /** Whether `[DONE]` has been received. */
  done = false;
  /** Whether something was received that should have been JSON and was not. The stream may then be incomplete. */
  broken = false;

  /** The chunks that `bytes` complete. */
  push(bytes: Uint8Array): JsonRecord[] {
    return this.#text(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Processes the text after the last line end, and a body that was not a stream. */
  finish(): JsonRecord[] {
    this.#text(this.#decoder.decode());
    const rest = this.#rest;
    this.#rest = "";
    if (rest !== "") this.#line(rest);
    this.#line("");
    if (this.#plain.trim() !== "") this.#plainBody();
    return this.#take();
  }

  /** The beginning of a body that was neither a stream nor JSON, for the error message. */
  get plainText(): string {
    return this.#plain.trim().slice(0, 200);
  }

  #text(decoded: string): JsonRecord[] {
    // A CRLF that is split between two reads is one line end.
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
      // Plain words that keep a connection alive are ignored, but an error in plain words counts.
      if (this.#event === "error") this.#chunks.push({ error: { message: payload } });
      return;
    }
    const begun = this.#pending !== "";
    const text = begun ? `${this.#pending}\n${payload}` : payload;
    if (begun) this.#open += openedIn(payload);
    // Parsed only once it may be complete: parsing after every line would take quadratic time.
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

/** How many brackets `line` opens and does not close, not counting brackets in strings. A string ends with its line. */
function openedIn(line: string): number {
  let open = 0;
  for (const [bracket] of line.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/g, "").matchAll(/[{}]/g))
    open += bracket === "{" ? 1 : -1;
  return open;
}
