// Joins reasoning that arrives in pieces. OpenRouter's `reasoning_details` must be sent back as one sequence,
// unmodified: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning (read 2026-11).
// Some servers repeat a text from its beginning; see `RepeatedText`.
import { type JsonRecord, stringOrEmpty } from "./json-value.ts";

/**
 * Reasoning with its signature is smaller than this. Anything larger is dropped, because every later request would
 * contain it.
 */
export const maxGoBackChars = 400_000;

export class ReasoningDetails {
  #details: JsonRecord[] = [];
  #chars = 0;
  /** Tracks the text that `#details` ends with, to find what each piece adds. */
  #repeated = new RepeatedText();

  add(pieces: readonly JsonRecord[]): void {
    for (const said of pieces) {
      if (this.#details.at(-1)?.index !== said.index) this.#release();
      const text = said.type === "reasoning.text" ? this.#repeated.push(stringOrEmpty(said.text)) : undefined;
      const piece = text === undefined ? said : { ...said, text };
      const last = this.#details.at(-1);
      const field = continuedField(last, piece);
      this.#chars += field === undefined ? JSON.stringify(piece).length : stringOrEmpty(piece[field]).length;
      if (this.#chars > maxGoBackChars) continue;
      if (last === undefined || field === undefined) this.#details.push({ ...piece });
      else
        Object.assign(last, present(piece), {
          [field]: stringOrEmpty(last[field]) + stringOrEmpty(piece[field]),
        });
    }
  }

  /**
   * Undefined if there are none, or more than the limit. Placeholders after the last detail are dropped, because they
   * have no meaning there.
   */
  get all(): JsonRecord[] | undefined {
    this.#release();
    const last = this.#details.findLastIndex(
      ({ type, phase }) => phase || !/^(said|called)$/.test(String(type)),
    );
    return last < 0 || this.#chars > maxGoBackChars ? undefined : this.#details.slice(0, last + 1);
  }

  #release(): void {
    const last = this.#details.at(-1);
    const held = this.#repeated.finish();
    if (last !== undefined && held !== "") last.text = stringOrEmpty(last.text) + held;
    this.#repeated = new RepeatedText();
  }
}

/** The field that `piece` continues; undefined if it is a separate detail. */
function continuedField(last: JsonRecord | undefined, piece: JsonRecord): "text" | "summary" | undefined {
  if (last === undefined || last.type !== piece.type || last.index !== piece.index) return undefined;
  // A signature ends a block.
  if (stringOrEmpty(last.signature) !== "" && stringOrEmpty(piece.text) !== "") return undefined;
  if (piece.type === "reasoning.text") return "text";
  return piece.type === "reasoning.summary" ? "summary" : undefined;
}

function present(piece: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null));
}

/** Up to this length, a second piece may begin with the first one by chance. */
const chanceChars = 4;

/**
 * Finds what each piece adds to a text that some servers repeat from its beginning. MiniMax sends either the whole
 * reasoning so far in each piece, or only the new part: MiniMax-AI/MiniMax-M2#95 (2026-03), can1357/oh-my-pi#2434
 * (2026-06). A piece that begins with everything before it is held back until the next one shows whether that was a
 * coincidence.
 */
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

  /** The text still held back at the end. */
  finish(): string {
    const held = this.#held ?? "";
    this.#held = undefined;
    return this.#before.length < chanceChars ? held : held.slice(this.#before.length);
  }
}
