// Goes through a text from left to right and asks the rules at each place where one may begin. Keeps no text.
import type { Glance } from "./glance.ts";
import { endOf, type FoundSecret, type RuleSet, type Unclear } from "./rule.ts";
import { type Trigger, triggersOf } from "./triggers.ts";

export interface Scanned {
  /** In order, apart from one another. */
  found: FoundSecret[];
  /** The next scan has to begin here: a rule could not answer yet, or everything is answered. */
  resumeAt: number;
  /** What comes before is as it will be shown. */
  settledTo: number;
  /** Where the last secret or mark ends: what follows it begins a word. */
  wordAt: number;
  looksBack: boolean;
}

/**
 * Scans `text` from `start`; what comes before `start` was scanned, and is only looked back at. `isCut`: `text` lacks
 * what rules look back at, and has but `escapeChars`; where a rule has to be asked, there is no answer but `looksBack`.
 */
export type Scan = (text: string, start: number, ended: boolean, wordAt?: number, isCut?: boolean) => Scanned;

export interface Scanner {
  scan: Scan;
  /** For a stream: nothing if each piece has to be scanned. */
  glance: (() => Glance) | undefined;
}

export const markBegin = "[redacted: ";
const markPattern = /\[redacted: [A-Za-z0-9 ]{1,40}\]/y;
/** Shared by most texts, so that none is made for each. */
const nothingFound: FoundSecret[] = [];
const openMark = /\[redacted: [A-Za-z0-9 ]{0,40}$/y;

/** `kinds`: of all marks there are. A mark is left as it is, and what only looks like one is not. */
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

  /** A name may hold a token itself; it comes first. */
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

  /** A value of a known form is reported by its form. */
  function preferred(text: string, context: FoundSecret, ended: boolean): FoundSecret | Unclear {
    const own = triggers.prefixAt(text, context.from)?.(text, context.from, ended);
    if (!own) return context;
    return "holdFrom" in own || own.to >= context.to ? own : { ...context, kind: own.kind };
  }
}
