// Parses server-sent events from text in arbitrary chunks. It knows only the format: no network, and no meaning of
// events.

/** One event block. `id` is set only if this very block had one: it is not inherited from earlier blocks. */
export interface SseEvent {
  event: string;
  data: string;
  id?: string;
  /** A field of our own; other readers ignore it, as the standard requires. See seen-hash.ts. */
  seen?: string;
}

/**
 * Collects chunks of decoded text and returns complete events. Lines may end in LF, CRLF or CR, and a chunk may end
 * between CR and LF. Comments and unknown fields are skipped, and a block without data is dropped, as the HTML standard
 * says. Text after the last blank line never counts.
 */
export class SseParser {
  #rest = "";
  #started = false;
  #endedInCr = false;
  #event = "";
  #id: string | undefined;
  #seen: string | undefined;
  #data: string[] = [];

  /** The events that `chunk` completes. */
  push(chunk: string): SseEvent[] {
    let text = chunk;
    if (!this.#started && text !== "") {
      this.#started = true;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    if (this.#endedInCr && text !== "") {
      this.#endedInCr = false;
      if (text.startsWith("\n")) text = text.slice(1);
    }
    if (text.endsWith("\r")) this.#endedInCr = true;
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    const events: SseEvent[] = [];
    for (const line of lines) {
      const event = this.#line(line);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #line(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "seen") this.#seen = value;
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const [id, seen] = [this.#id, this.#seen];
    const event =
      this.#data.length === 0
        ? undefined
        : {
            event: this.#event === "" ? "message" : this.#event,
            data: this.#data.join("\n"),
            ...(id === undefined ? {} : { id }),
            ...(seen === undefined ? {} : { seen }),
          };
    this.#event = "";
    this.#id = undefined;
    this.#seen = undefined;
    this.#data = [];
    return event;
  }
}
