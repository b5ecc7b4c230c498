// Reasoning that a model writes into its text as `<think>…</think>`. The tags count only at the very beginning;
// anywhere else they are text.

const tags: readonly (readonly [opens: string, closes: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["[THINK]", "[/THINK]"],
];

export class ThinkTags {
  /** Held back because it may begin an opening tag, or a closing one. */
  #waiting = "";
  #closes: string | undefined;
  #behind = false;
  #reasoned = false;

  /** Whether only text can follow, so that `push` need not be called any more. */
  over = false;

  /** Splits `text` into reasoning and text, each "" if there is none. */
  push(text: string): { reasoning: string; text: string } {
    if (this.over) return { reasoning: "", text };
    this.#waiting += text;
    if (this.#closes === undefined && !this.#behind) {
      const start = this.#waiting.trimStart();
      const tag = tags.find(([opens]) => start.startsWith(opens));
      if (tag === undefined) {
        if (tags.some(([opens]) => opens.startsWith(start))) return { reasoning: "", text: "" };
        return this.#end("");
      }
      this.#closes = tag[1];
      this.#waiting = start.slice(tag[0].length);
    }
    if (this.#closes === undefined) return this.#skipSpace("");
    if (!this.#reasoned) this.#waiting = this.#waiting.trimStart();
    const at = this.#waiting.indexOf(this.#closes);
    if (at < 0) {
      const keep = beginningOf(this.#waiting, this.#closes);
      const reasoning = this.#waiting.slice(0, this.#waiting.length - keep);
      this.#waiting = this.#waiting.slice(this.#waiting.length - keep);
      this.#reasoned ||= reasoning !== "";
      return { reasoning, text: "" };
    }
    const reasoning = this.#waiting.slice(0, at).trimEnd();
    this.#waiting = this.#waiting.slice(at + this.#closes.length);
    this.#closes = undefined;
    this.#behind = true;
    return this.#skipSpace(reasoning);
  }

  /** The text still held back at the end of the message. */
  finish(): { reasoning: string; text: string } {
    const inside = this.#closes !== undefined;
    const { text } = this.#end("");
    return inside ? { reasoning: text, text: "" } : { reasoning: "", text };
  }

  /** Skips the space between the reasoning and the answer. */
  #skipSpace(reasoning: string): { reasoning: string; text: string } {
    this.#waiting = this.#waiting.trimStart();
    return this.#waiting === "" ? { reasoning, text: "" } : this.#end(reasoning);
  }

  #end(reasoning: string): { reasoning: string; text: string } {
    this.over = true;
    const text = this.#waiting;
    this.#waiting = "";
    return { reasoning, text };
  }
}

export const closingThought = "</think>";

/**
 * Splits `text` at a closing tag on a line of its own, into reasoning and answer. This happens if the server's template
 * wrote the opening tag. Undefined if the text contains an opening tag before it, because then the tags are only
 * mentioned.
 */
export function splitAtClosing(text: string): { reasoning: string; text: string } | undefined {
  const at = text.search(/^<\/think>\s*$/m);
  const before = text.slice(0, at);
  if (at < 0 || before.includes("<think>")) return undefined;
  return { reasoning: before.trim(), text: text.slice(at + closingThought.length).trimStart() };
}

/** How many characters at the end of `text` may be the beginning of `mark`, or space before a mark. */
function beginningOf(text: string, mark: string): number {
  for (let size = Math.min(mark.length - 1, text.length); size > 0; size -= 1)
    if (mark.startsWith(text.slice(-size))) return size + trailingSpace(text.slice(0, -size));
  return trailingSpace(text);
}

function trailingSpace(text: string): number {
  return text.length - text.trimEnd().length;
}
