// Replaces secrets in text with marks, in whole texts and in streams. Pure. It hides tokens of known forms, values
// after names, and given values.
import { formKinds, formRules } from "./forms.ts";
import { keyTailStream, withoutKeyTails } from "./key-tail.ts";
import { escaped, type SecretRule } from "./rule.ts";
import { markBegin, type Scan, type Scanner, scannerOf } from "./scan.ts";
import { shown } from "./shown.ts";
import { type RedactingStream, streamOf } from "./stream.ts";

export interface Redactor {
  /**
   * `text` with a mark in place of each secret; line ends do not move. Redacting the result again changes nothing,
   * except if a token is itself the name of a setting or is glued to one: then the second pass may hide more.
   */
  redact(text: string): string;
  /**
   * For text that arrives in pieces. The whole output equals `redact` of the whole text, except for up to 15 characters
   * before the mark of a key without its beginning.
   */
  stream(): RedactingStream;
}

/** A redactor that leaves every text as it is. */
export const nothingSecret: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (text) => text, end: () => "" }),
};

/** Shorter values occur by chance in too many texts. */
const minValueLength = 8;

const kinds: ReadonlySet<string> = new Set(["secret", ...formKinds]);
/** Built once and shared, because every turn creates its own redactors. */
const forms = scannerOf(formRules, kinds);

/**
 * `values`: secrets known by their value, such as our own tokens; values shorter than 8 characters are ignored. `what`:
 * with "values", only those are hidden.
 */
export function createRedactor(
  values: readonly string[] = [],
  what: "values" | "values and forms" = "values and forms",
): Redactor {
  const known = [...new Set(values)].filter((value) => value.length >= minValueLength);
  // Values are replaced first: otherwise a known form could end in the middle of a value and leave the rest visible.
  const scanners = [
    ...(known.length > 0 ? [valueScanner(known)] : []),
    ...(what === "values" ? [] : [forms]),
  ];
  const all = (text: string) => scanners.reduce(redacted, text);
  return {
    redact: (text) => (what === "values" ? all(text) : withoutKeyTails(all(text))),
    stream: () => joined([...scanners.map(streamOf), ...(what === "values" ? [] : [keyTailStream()])]),
  };
}

function valueScanner(values: readonly string[]): Scanner {
  const rule =
    (value: string): SecretRule =>
    (_text, at) => ({ from: at, to: at + value.length, kind: "secret" });
  const prefixes = new Map(values.map((value) => [value, rule(value)]));
  const { scan } = scannerOf({ prefixes, words: new Map(), inWord: () => true }, kinds);
  // Few texts contain one, so searching for each value is faster than scanning every character.
  const beginning = new RegExp([...new Set([markBegin, ...values].map(beginningOf))].join("|"));
  const quickScan: Scan = (text, start, ended, ...more) => {
    const isWithout = ended ? !values.some((value) => text.includes(value, start)) : !beginning.test(text);
    return isWithout
      ? { found: [], resumeAt: text.length, settledTo: text.length, wordAt: -1, looksBack: false }
      : scan(text, start, ended, ...more);
  };
  return { scan: quickScan, glance: undefined };
}

/** A pattern that matches wherever `value` may be, and where its first character ends the text. */
function beginningOf(value: string): string {
  const [first = "", second = ""] = [value.slice(0, 1), value.slice(1, 2)].map(escaped);
  return `${first}(?:${second}|$)`;
}

function redacted(text: string, { scan }: Scanner): string {
  return shown(text, 0, text.length, scan(text, 0, true).found);
}

/** Chains streams: each one gets the output of the previous one. */
function joined(streams: readonly RedactingStream[]): RedactingStream {
  return {
    push: (text) => streams.reduce((rest, stream) => stream.push(rest), text),
    end: () => streams.reduce((rest, stream) => stream.push(rest) + stream.end(), ""),
  };
}
