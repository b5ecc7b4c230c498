// OpenRouter's `reasoning_details` out of their pieces: they go back as one sequence, unmodified.
// https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning (read 2026-11)
import { type JsonRecord, textOf } from "./json-value.ts";
import { RepeatedText } from "./repeated-text.ts";

/** Longer than any reasoning with its signature; what is larger is not kept, since every later request would carry it. */
export const maxGoBackChars = 400_000;

export class ReasoningDetails {
  #details: JsonRecord[] = [];
  #chars = 0;
  /** Of the text that `#details` ends with. */
  #repeated = new RepeatedText();

  add(pieces: readonly JsonRecord[]): void {
    for (const said of pieces) {
      if (this.#details.at(-1)?.index !== said.index) this.#release();
      const text = said.type === "reasoning.text" ? this.#repeated.push(textOf(said.text)) : undefined;
      const piece = text === undefined ? said : { ...said, text };
      const last = this.#details.at(-1);
      const field = continuedField(last, piece);
      this.#chars += field === undefined ? JSON.stringify(piece).length : textOf(piece[field]).length;
      if (this.#chars > maxGoBackChars) continue;
      if (last === undefined || field === undefined) this.#details.push({ ...piece });
      else Object.assign(last, present(piece), { [field]: textOf(last[field]) + textOf(piece[field]) });
    }
  }

  /** Undefined where there are none, or more than are kept. Places after the last one say nothing. */
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
    if (last !== undefined && held !== "") last.text = textOf(last.text) + held;
    this.#repeated = new RepeatedText();
  }
}

/** The field whose text `piece` continues; undefined where it is a detail of its own. */
function continuedField(last: JsonRecord | undefined, piece: JsonRecord): "text" | "summary" | undefined {
  if (last === undefined || last.type !== piece.type || last.index !== piece.index) return undefined;
  // A signature ends a block.
  if (textOf(last.signature) !== "" && textOf(piece.text) !== "") return undefined;
  if (piece.type === "reasoning.text") return "text";
  return piece.type === "reasoning.summary" ? "summary" : undefined;
}

function present(piece: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null));
}
