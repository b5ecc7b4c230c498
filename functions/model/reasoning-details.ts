// OpenRouter's `reasoning_details` out of their pieces: they go back as one sequence, unmodified.
// https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning (read 2026-11)
import { type JsonRecord, textOf } from "./json-value.ts";

/** Longer than any reasoning with its signature; what is larger is not kept, since every later request would carry it. */
const maxChars = 400_000;

export class ReasoningDetails {
  #details: JsonRecord[] = [];
  #chars = 0;

  add(pieces: readonly JsonRecord[]): void {
    for (const piece of pieces) {
      const last = this.#details.at(-1);
      const field = continuedField(last, piece);
      this.#chars += field === undefined ? JSON.stringify(piece).length : textOf(piece[field]).length;
      if (this.#chars > maxChars) continue;
      if (last === undefined || field === undefined) this.#details.push({ ...piece });
      else Object.assign(last, present(piece), { [field]: textOf(last[field]) + textOf(piece[field]) });
    }
  }

  /** Undefined where there are none, or more than are kept. */
  get all(): JsonRecord[] | undefined {
    return this.#details.length === 0 || this.#chars > maxChars ? undefined : this.#details;
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
