// Goes through a text from left to right and asks the rules at each place where one may begin. Keeps no text.
import { beginsWord, type Found, type Rule, type RuleSet, type Unclear } from "./rule.ts";
import { triggersOf } from "./triggers.ts";

export interface Scan {
  /** In order, apart from one another. */
  found: Found[];
  /** The next scan has to begin here: a rule could not answer yet, or everything is answered. */
  resumeAt: number;
  /** What comes before is as it will be shown. */
  settledTo: number;
  /** Where the last secret or mark ends: what follows it begins a word. */
  wordAt: number;
}

/** Scans `text` from `start`; what comes before `start` was scanned, and is only looked back at. */
export type Scanner = (text: string, start: number, ended: boolean, wordAt?: number) => Scan;

const markBegin = "[redacted: ";
const markPattern = /\[redacted: [A-Za-z0-9 ]{1,40}\]/y;
const openMark = /\[redacted: [A-Za-z0-9 ]{0,40}$/y;

/** `kinds`: of all marks there are. A mark is left as it is, and what only looks like one is not. */
export function scannerOf(rules: RuleSet, kinds: ReadonlySet<string>): Scanner {
  const all: RuleSet = { ...rules, prefixes: new Map([...rules.prefixes, [markBegin, () => undefined]]) };
  const whole = triggersOf(all, false);
  const open = triggersOf(all, true);
  /** Of prefixes, and whether it may begin in the middle of a word. */
  const beginnings = new Map<string, boolean>();
  for (const prefix of rules.prefixes.keys())
    for (let chars = 1; chars <= prefix.length; chars++) {
      const beginning = prefix.slice(0, chars);
      beginnings.set(beginning, beginnings.get(beginning) || rules.inWord(prefix));
    }

  return scan;

  function scan(text: string, start: number, ended: boolean, secretEnd = -1): Scan {
    const triggers = ended ? whole : open;
    const found: Found[] = [];
    let wordAt = secretEnd;
    let unclearAt: number | undefined;
    let settledTo = text.length;
    for (let at = start; at < settledTo; ) {
      const next = triggers.next(text, at);
      if (!next || next.place >= settledTo) break;
      const { place, trigger } = next;
      const mark = markAt(text, place);
      if (mark > place) {
        at = wordAt = mark;
        continue;
      }
      const answer = answerAt(text, place, trigger, ended, wordAt);
      at = place + 1;
      if (!answer) continue;
      if ("holdFrom" in answer) {
        unclearAt ??= place;
        settledTo = Math.min(settledTo, answer.holdFrom);
      } else if (unclearAt === undefined) {
        found.push(answer);
        at = wordAt = answer.to;
      } else {
        settledTo = Math.min(settledTo, answer.from);
      }
    }
    return { found, resumeAt: unclearAt ?? text.length, settledTo, wordAt };
  }

  function markAt(text: string, place: number): number {
    if (text[place] !== "[") return place;
    markPattern.lastIndex = place;
    const [mark = ""] = markPattern.exec(text) ?? [];
    return kinds.has(mark.slice(markBegin.length, -1)) ? place + mark.length : place;
  }

  function answerAt(
    text: string,
    place: number,
    trigger: string,
    ended: boolean,
    wordAt: number,
  ): Found | Unclear | undefined {
    const begins = place === wordAt || beginsWord(text, place);
    if (!ended) {
      openMark.lastIndex = place;
      if (openMark.test(text)) return { holdFrom: text.length };
      if (place + trigger.length === text.length) {
        const inWord = beginnings.get(trigger);
        return { holdFrom: inWord || (inWord === false && begins) ? place : text.length };
      }
    }
    const prefix = begins || rules.inWord(trigger) ? rules.prefixes.get(trigger) : undefined;
    const answer = prefix?.(text, place, ended);
    if (answer) return answer;
    const rule = wordRule(trigger.toLowerCase());
    const context = rule?.(text, place, ended);
    if (!context || "holdFrom" in context) return context;
    return tokenBetween(text, place + 1, context.from, ended) ?? preferred(text, context, ended);
  }

  /** The rule of the longest word that the trigger begins with: `key-` is a prefix, and `key` a word. */
  function wordRule(trigger: string): Rule | undefined {
    for (let chars = trigger.length; chars > 0; chars--) {
      const rule = rules.words.get(trigger.slice(0, chars));
      if (rule) return rule;
    }
    return undefined;
  }

  /** A name may hold a token itself; it comes first. */
  function tokenBetween(text: string, from: number, to: number, ended: boolean): Found | Unclear | undefined {
    for (let next = whole.next(text, from, to); next; next = whole.next(text, next.place + 1, to)) {
      if (!rules.inWord(next.trigger) && !beginsWord(text, next.place)) continue;
      const token = rules.prefixes.get(next.trigger)?.(text, next.place, ended);
      if (token) return token;
    }
    return undefined;
  }

  /** A value whose form is known is told by its form. */
  function preferred(text: string, context: Found, ended: boolean): Found | Unclear {
    const own = rules.prefixes.get(whole.at(text, context.from) ?? "")?.(text, context.from, ended);
    if (!own) return context;
    return "holdFrom" in own || own.to >= context.to ? own : { ...context, kind: own.kind };
  }
}
