// Compacts the history of a conversation request by request. Each request begins with what the one before it showed, so
// what was shortened or left out stays that way, and prompts keep a common beginning for provider caches.
import type { Message } from "../../shared/message.ts";
import { Ages } from "../context/event-retention.ts";
import { chooseLosses, defaultLowWater } from "./choose-losses.ts";
import { cutResults } from "./cut-results.ts";
import { digest, digestChars, digestTokens } from "./digest.ts";
import { type MessageGroup, mostTokens, toMessageGroups } from "./message-groups.ts";
import { lastSummary } from "./model-summary.ts";
import { shortened } from "./shorten-messages.ts";

/** One message with the results of its calls may take this share of the budget, so that it does not push out all others. */
const exchangeShare = 0.5;

export class Compaction {
  readonly #baseTokens: number;
  readonly #lowWater: number;
  readonly #ages = new Ages();
  /** The messages that are left, each mapped to the form in which it is shown. */
  readonly #shown = new Map<Message, Message>();
  readonly #gone = new Set<Message>();
  readonly #resultTokens = new Map<Message, number>();
  /** Size of the digest at the last drop; 0 before the first. */
  #digestChars = 0;
  /** An upper bound of the tokens shown, exact right after measuring. */
  #tokens: number;

  /** `baseTokens`: what every prompt holds besides the history. */
  constructor(baseTokens: number, lowWater = defaultLowWater) {
    this.#baseTokens = baseTokens;
    this.#lowWater = lowWater;
    this.#tokens = baseTokens;
  }

  add(message: Message): void {
    for (const old of this.#ages.after(message)) this.#shown.delete(old);
    this.#shown.set(message, message);
    this.#tokens += mostTokens(message);
  }

  /** Compacts as far as possible if more than `budgetTokens` are shown. */
  fit(budgetTokens: number): void {
    if (this.#tokens <= budgetTokens) return;
    let groups = this.#measured();
    while (this.#tokens > budgetTokens) {
      this.#digestChars = digestChars(budgetTokens);
      const changed =
        this.#cutHuge(groups, budgetTokens * exchangeShare) ||
        this.#loseGroups(groups, budgetTokens) ||
        // Then cut the results that have to stay.
        this.#cut([...this.#shown.keys()], this.#tokens - budgetTokens) ||
        // Finally shorten the payload of calls: a file that was written can be read again.
        this.#shorten(this.#answered());
      if (!changed) return;
      groups = this.#measured();
    }
  }

  /** What remains of `history` (all of which was added), with a digest of the rest, and how many messages were trimmed. */
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

  #measured(): MessageGroup[] {
    const groups = toMessageGroups(this.#shown, this.#resultTokens);
    const digested = this.#gone.size > 0 ? digestTokens(this.#digestChars) : 0;
    this.#tokens = groups.reduce((sum, { tokens }) => sum + tokens, this.#baseTokens + digested);
    return groups;
  }

  // Each of the following returns whether it changed anything.

  #loseGroups(groups: readonly MessageGroup[], budgetTokens: number): boolean {
    const losses = chooseLosses(groups, {
      budgetTokens,
      tokens: this.#tokens,
      lowWater: this.#lowWater,
      digestTokens: this.#gone.size > 0 ? 0 : digestTokens(this.#digestChars),
    });
    for (const [place, { messages }] of groups.entries()) {
      if (losses[place] === "short") this.#shorten(messages);
      if (losses[place] !== "gone") continue;
      for (const message of messages) {
        this.#shown.delete(message);
        this.#gone.add(message);
      }
    }
    return losses.some((loss) => loss !== "none");
  }

  #cutHuge(groups: readonly MessageGroup[], maxTokens: number): boolean {
    const huge = groups.filter(({ tokens }) => tokens > maxTokens);
    return huge.filter(({ messages, tokens }) => this.#cut(messages, tokens - maxTokens)).length > 0;
  }

  #cut(messages: readonly Message[], excessTokens: number): boolean {
    const shown = messages.flatMap((message) => this.#shown.get(message) ?? []);
    const cut = cutResults(shown, excessTokens);
    for (const [index, message] of messages.entries()) this.#shown.set(message, cut[index] ?? message);
    return cut.some((message, index) => message !== shown[index]);
  }

  /** The model must see pictures that it has not answered yet. */
  #answered(): Message[] {
    const messages = [...this.#shown.keys()];
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    return messages.filter(({ role }, index) => role !== "user" || index < last);
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
