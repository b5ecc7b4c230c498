// Server-sent events out of text cut anywhere. Knows the format only: no network, no meaning of events.

/** One event block. `id` only where this very block carried one: it is not inherited from earlier blocks. */
export interface SseEvent {
  event: string;
  data: string;
  id?: string;
  /** A field of our own, which other readers ignore as the standard says: see seen-hash.ts. */
  seen?: string;
}

/**
 * Collects chunks of decoded text and returns whole events. Lines may end in LF, CRLF or CR, also
 * cut between CR and LF; comments and unknown fields are skipped; a block without data is dropped, as
 * the HTML standard says. Text after the last blank line never counts when the stream ends.
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
