// What the requests of a conversation show of it, one after the other. Each begins with what the one before it showed,
// so what was shortened or left out stays so, and prompts keep a common beginning for provider caches.
import type { Message } from "../../shared/message.ts";
import { cutResults } from "./cut-results.ts";
import { digest, digestChars, digestTokens } from "./digest.ts";
import { giveUp } from "./give-up.ts";
import { shortened } from "./shorten.ts";
import { Ages } from "./subkinds.ts";
import { lastSummary } from "./summary.ts";
import { mostTokens, toUnits, type Unit } from "./units.ts";

/** One message with the results of its calls may have this part of the budget, so that it does not drive out all others. */
const exchangeShare = 0.5;

export class Trimming {
  readonly #baseTokens: number;
  readonly #ages = new Ages();
  /** The messages that are left, each as it is shown. */
  readonly #shown = new Map<Message, Message>();
  readonly #gone = new Set<Message>();
  readonly #resultTokens = new Map<Message, number>();
  /** Of the digest, since something last had to go; 0 before that. */
  #digestChars = 0;
  /** What is shown costs this at most, and exactly this where it was just measured. */
  #tokens: number;

  /** `baseTokens`: what stands in every prompt. */
  constructor(baseTokens: number) {
    this.#baseTokens = baseTokens;
    this.#tokens = baseTokens;
  }

  add(message: Message): void {
    for (const old of this.#ages.after(message)) this.#shown.delete(old);
    this.#shown.set(message, message);
    this.#tokens += mostTokens(message);
  }

  /** Makes room where more than `budgetTokens` are shown: as much as there can be. */
  fit(budgetTokens: number): void {
    if (this.#tokens <= budgetTokens) return;
    let units = this.#measured();
    while (this.#tokens > budgetTokens) {
      this.#digestChars = digestChars(budgetTokens);
      const changed =
        this.#cutHuge(units, budgetTokens * exchangeShare) ||
        this.#giveUp(units, budgetTokens) ||
        // The last resort: what is too long in the results that have to stay.
        this.#cut([...this.#shown.keys()], this.#tokens - budgetTokens) ||
        // And after it the payload of calls: a file that was written is read again, not remembered.
        this.#shorten(this.#shown.keys());
      if (!changed) return;
      units = this.#measured();
    }
  }

  /** What is left of `history`, all of which was added, with a digest of what is gone; how many messages were trimmed. */
  result(history: readonly Message[]): { history: Message[]; trimmed: number } {
    if (this.#digestChars === 0) return { history: [...this.#shown.keys()], trimmed: 0 };
    const gone = history.filter((message) => this.#gone.has(message));
    let trimmed = gone.length;
    const left = history.flatMap((message) => {
      if (message === gone[0]) return [digest(gone, this.#digestChars, lastSummary(history)?.content)];
      const now = this.#shown.get(message);
      if (now && now !== message) trimmed += 1;
      return now ?? [];
    });
    return { history: left, trimmed };
  }

  #measured(): Unit[] {
    const units = toUnits(this.#shown, this.#resultTokens);
    const digested = this.#gone.size > 0 ? digestTokens(this.#digestChars) : 0;
    this.#tokens = units.reduce((sum, { tokens }) => sum + tokens, this.#baseTokens + digested);
    return units;
  }

  // Those that make room say whether there was any to be made.

  #giveUp(units: readonly Unit[], budgetTokens: number): boolean {
    const losses = giveUp(units, {
      budgetTokens,
      tokens: this.#tokens,
      digestTokens: this.#gone.size > 0 ? 0 : digestTokens(this.#digestChars),
    });
    for (const [place, { messages }] of units.entries()) {
      if (losses[place] === "short") this.#shorten(messages);
      if (losses[place] !== "gone") continue;
      for (const message of messages) {
        this.#shown.delete(message);
        this.#gone.add(message);
      }
    }
    return losses.some((loss) => loss !== "none");
  }

  #cutHuge(units: readonly Unit[], maxTokens: number): boolean {
    const huge = units.filter(({ tokens }) => tokens > maxTokens);
    return huge.filter(({ messages, tokens }) => this.#cut(messages, tokens - maxTokens)).length > 0;
  }

  #cut(messages: readonly Message[], excessTokens: number): boolean {
    const shown = messages.flatMap((message) => this.#shown.get(message) ?? []);
    const cut = cutResults(shown, excessTokens);
    for (const [index, message] of messages.entries()) this.#shown.set(message, cut[index] ?? message);
    return cut.some((message, index) => message !== shown[index]);
  }

  #shorten(messages: Iterable<Message>): boolean {
    let changed = false;
    for (const message of messages) {
      const now = this.#shown.get(message) ?? message;
      const short = shortened(now);
      changed ||= short !== now;
      this.#shown.set(message, short);
    }
    return changed;
  }
}
