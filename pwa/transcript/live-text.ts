// The output of a command while it runs, as a terminal would show it.

/** A terminal's control sequence: ESC, a bracket, parameters, a letter. */
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

/** Without terminal colours; of a line that rewrites itself only its last state. */
export function withoutControls(text: string): string {
  return text
    .replace(colour, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?!\n)/g, "");
}
