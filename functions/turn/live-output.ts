// What running commands print, as it is shown: without our own keys and the person's, which the sandbox does not know.
import type { TurnEvent } from "../../shared/event.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { RedactingStream } from "../../shared/redact/stream.ts";
import { utf8Length } from "../../shared/session/utf8.ts";

/** A piece as the sandbox sends it; `offset` counts bytes of its stream. */
interface OutputPiece {
  key: string;
  stream: "stdout" | "stderr";
  offset: number;
  text: string;
}

interface ShownStream {
  redacting: RedactingStream;
  /** Bytes of the sandbox's stream that were taken, and bytes that were shown. They differ where a mark is shown. */
  taken: number;
  shown: number;
}

export class ShownOutput {
  readonly #own: Redactor;
  readonly #streams = new Map<string, ShownStream>();

  /** `own`: as for ReplayLog. */
  constructor(own: Redactor) {
    this.#own = own;
  }

  /**
   * Undefined while all that there is may be the beginning of a key. What is held back when a command ends is not shown:
   * its output may have been cut in the middle of a key, and the result brings the rest.
   */
  event(toolCallId: string, { key, stream, offset, text }: OutputPiece): TurnEvent | undefined {
    const id = `${stream} ${key}`;
    const before = this.#streams.get(id);
    const state = before?.taken === offset ? before : this.#begun(offset, before);
    this.#streams.set(id, state);
    const shown = state.redacting.push(text);
    const data = { toolCallId, stream, offset: state.shown, text: shown };
    state.taken += utf8Length(text);
    state.shown += utf8Length(shown);
    return shown === "" ? undefined : { event: "tool.output", data };
  }

  /** A stream from its beginning on, or after pieces that did not come: they leave as large a gap in what is shown. */
  #begun(offset: number, before: ShownStream | undefined): ShownStream {
    const shown = before && offset > before.taken ? before.shown + offset - before.taken : offset;
    return { redacting: this.#own.stream(), taken: offset, shown };
  }
}
