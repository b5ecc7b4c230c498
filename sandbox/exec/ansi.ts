// Takes terminal control sequences out of text for a reader that is no terminal.

// ECMA-48: OSC and other strings end with BEL or ST; CSI ends with a byte of @ to ~; the rest are two or three bytes.
// A string that does not end loses its introducer only: what follows may be all that a command had to say.
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  /\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b[\]PX^_]|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const otherControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** `text` without escape sequences and control characters other than tab, newline and carriage return. */
export function stripAnsi(text: string): string {
  return text.replace(sequences, "").replace(otherControls, "");
}
