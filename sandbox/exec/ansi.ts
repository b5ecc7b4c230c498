// Removes terminal control sequences from text for a reader that is not a terminal.

// ECMA-48: OSC and other strings end with BEL or ST; CSI ends with a byte of @ to ~; the rest are two or
// three bytes. If a string does not end, only its introducer is removed, because the text after it may be all
// of the command's output.
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters.
  /\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b[\]PX^_]|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const otherControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** `text` without escape sequences and control characters other than tab, newline and carriage return. */
export function stripAnsi(text: string): string {
  return text.replace(sequences, "").replace(otherControls, "");
}

/** A sequence that has begun at the end of a text and is not complete. */
const begun =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  /\u001b(?:\][^\u0007\u001b\n]*\u001b?|[PX^_][^\u001b]*\u001b?|(?:\[[0-?]*)?[ -/]*)$|\u009b[0-?]*[ -/]*$/;
/**
 * An unfinished string that is longer than this is not held back any more, but treated like one that never
 * ends.
 */
const maxHeldChars = 8_192;

/** `stripAnsi` of text that arrives in pieces cut anywhere. */
export class PlainPieces {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const at = text.search(begun);
    const from = at < 0 || text.length - at > maxHeldChars ? text.length : at;
    this.#held = text.slice(from);
    return stripAnsi(text.slice(0, from));
  }

  /** The remaining text at the end of the stream. */
  end(): string {
    return stripAnsi(this.#held);
  }
}
