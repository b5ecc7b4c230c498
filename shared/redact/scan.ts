// Scans a text from left to right and asks the rules at each place where one may begin. It keeps no text.
import type { Glance } from "./glance.ts";
import { endOf, type FoundSecret, type RuleSet, type Unclear } from "./rule.ts";
import { type Trigger, triggersOf } from "./triggers.ts";

export interface Scanned {
  /** In order, not overlapping. */
  found: FoundSecret[];
  /** The index at which the next scan has to begin: the place for which a rule needs more text, or the end. */
  resumeAt: number;
  /** The text before this place will not change any more. */
  settledTo: number;
  /** Where the last secret or mark ends. A word can begin there. */
  wordAt: number;
  looksBack: boolean;
}

/**
 * Scans `text` from `start`. The text before `start` has been scanned already and is only looked back at. `isCut`: only
 * `escapeChars` of that text are there, so if a rule has to be asked, the only answer is `looksBack`.
 */
export type Scan = (text: string, start: number, ended: boolean, wordAt?: number, isCut?: boolean) => Scanned;

export interface Scanner {
  scan: Scan;
  /** Tells quickly whether a piece of a stream needs a scan; undefined if every piece does. */
  glance: (() => Glance) | undefined;
}

export const markBegin = "[redacted: ";
const markPattern = /\[redacted: [A-Za-z0-9 ]{1,40}\]/y;
/** Shared, so that texts without a secret need no array of their own. */
const nothingFound: FoundSecret[] = [];
const openMark = /\[redacted: [A-Za-z0-9 ]{0,40}$/y;

/**
 * `kinds`: those of all marks. An existing mark with such a kind is left as it is; other text that looks like a mark is
 * scanned.
 */
export function scannerOf(rules: RuleSet, kinds: ReadonlySet<string>): Scanner {
  const triggers = triggersOf({
    ...rules,
    prefixes: new Map([...rules.prefixes, [markBegin, () => undefined]]),
  });

  const scan: Scan = (text, start, ended, secretEnd = -1, isCut = false) => {
    let found = nothingFound;
    let wordAt = secretEnd;
    let unclearAt: number | undefined;
    let settledTo = text.length;
    for (let at = start; at < settledTo; ) {
      const trigger = triggers.next(text, at, settledTo, ended, wordAt);
      if (!trigger) break;
      const { place } = trigger;
      const mark = markAt(text, place);
      if (mark > place) {
        at = wordAt = mark;
        continue;
      }
      if (isCut && !trigger.open)
        return { found: nothingFound, resumeAt: start, settledTo: start, wordAt, looksBack: true };
      const answer = answerAt(text, trigger, ended);
      at = place + 1;
      if (!answer) continue;
      if ("holdFrom" in answer) {
        unclearAt ??= place;
        settledTo = Math.min(settledTo, answer.holdFrom);
      } else if (unclearAt === undefined) {
        if (found === nothingFound) found = [];
        found.push(answer);
        at = wordAt = answer.to;
        for (const next of answer.more ?? []) {
          found.push(...scan(text.slice(0, next.from), at, true, wordAt).found, next);
          at = wordAt = next.to;
        }
      } else {
        settledTo = Math.min(settledTo, answer.from);
      }
    }
    return { found, resumeAt: unclearAt ?? text.length, settledTo, wordAt, looksBack: false };
  };
  return { scan, glance: triggers.glance };

  function markAt(text: string, place: number): number {
    if (text[place] !== "[") return place;
    markPattern.lastIndex = place;
    const [mark = ""] = markPattern.exec(text) ?? [];
    return kinds.has(mark.slice(markBegin.length, -1)) ? place + mark.length : place;
  }

  function answerAt(text: string, trigger: Trigger, ended: boolean): FoundSecret | Unclear | undefined {
    const { place, prefix, word, open } = trigger;
    if (!ended && text[place] === "[" && endOf(openMark, text, place) > place)
      return { holdFrom: text.length };
    if (open) return { holdFrom: open === "token" ? place : text.length };
    const answer = prefix?.(text, place, ended);
    if (answer) return answer;
    const context = word?.(text, place, ended);
    if (!context || "holdFrom" in context) return context;
    return tokenBetween(text, place + 1, context.from, ended) ?? preferred(text, context, ended);
  }

  /** A name may itself contain a token, which is hidden first. */
  function tokenBetween(
    text: string,
    from: number,
    to: number,
    ended: boolean,
  ): FoundSecret | Unclear | undefined {
    for (let at = from; at < to; ) {
      const next = triggers.next(text, at, to, true, -1);
      const token = next?.prefix?.(text, next.place, ended);
      if (!next || token) return token;
      at = next.place + 1;
    }
    return undefined;
  }

  /** If a value has a known form, the mark names that form. */
  function preferred(text: string, context: FoundSecret, ended: boolean): FoundSecret | Unclear {
    const own = triggers.prefixAt(text, context.from)?.(text, context.from, ended);
    if (!own) return context;
    return "holdFrom" in own || (own.to >= context.to && !context.more)
      ? own
      : { ...context, kind: own.kind };
  }
}
