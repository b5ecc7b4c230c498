// What is new in the pieces of a text that some servers repeat from its beginning: MiniMax's reasoning, of which each piece
// is the whole so far, or is not: MiniMax-AI/MiniMax-M2#95 (2026-03), can1357/oh-my-pi#2434 (2026-06).

/** Two pieces of which the second begins with the first may do so by chance, if that one is no longer. */
const chanceChars = 4;

/** A piece that begins with all that came before it is held back until the next one shows whether that was chance. */
export class RepeatedText {
  #before = "";
  #held: string | undefined;
  /** undefined = not known yet. */
  #repeats: boolean | undefined;

  /** What `piece` adds. */
  push(piece: string): string {
    if (this.#repeats === false || piece === "") return piece;
    const before = this.#before;
    if (this.#repeats || before === "") {
      this.#before = piece;
      return before !== "" && piece.startsWith(before) ? piece.slice(before.length) : piece;
    }
    const held = this.#held;
    const grows = piece.length > (held ?? before).length && piece.startsWith(held ?? before);
    this.#held = undefined;
    if (grows && held === undefined) {
      this.#held = piece;
      return "";
    }
    this.#repeats = grows;
    if (!grows) return (held ?? "") + piece;
    this.#before = piece;
    return piece.slice(before.length);
  }

  /** What was held back when the text ended. */
  finish(): string {
    const held = this.#held ?? "";
    this.#held = undefined;
    return this.#before.length < chanceChars ? held : held.slice(this.#before.length);
  }
}
