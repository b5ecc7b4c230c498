// Replaces secrets in text by marks, whole or as it streams. Pure; which secrets: known forms, names before a value,
// and values given.
import { formKinds, formRules } from "./forms.ts";
import { keyTailStream, withoutKeyTails } from "./key-tail.ts";
import { escaped, type SecretRule } from "./rule.ts";
import { markBegin, type Scan, type Scanner, scannerOf } from "./scan.ts";
import { shown } from "./shown.ts";
import { type RedactingStream, streamOf } from "./stream.ts";

export interface Redactor {
  /** `text` with a mark in each secret's place; line ends stay where they are. Idempotent, but where a token is itself the name of a setting or is glued to one: a second look may hide more. */
  redact(text: string): string;
  /**
   * For text that comes in pieces: the whole output equals `redact` of the whole text, except for up to 15 characters
   * before the mark of a key without its beginning.
   */
  stream(): RedactingStream;
}

/** Leaves every text as it is. */
export const nothingSecret: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (text) => text, end: () => "" }),
};

/** Shorter values appear in too much text by chance. */
const minValueLength = 8;

const kinds: ReadonlySet<string> = new Set(["secret", ...formKinds]);
/** Made once: a turn makes redactors of its own. */
const forms = scannerOf(formRules, kinds);

/**
 * `values`: secrets that are known by their value, such as our own tokens; shorter ones than 8 characters are not
 * looked for. `what`: "values" = only those.
 */
export function createRedactor(
  values: readonly string[] = [],
  what: "values" | "values and forms" = "values and forms",
): Redactor {
  const known = [...new Set(values)].filter((value) => value.length >= minValueLength);
  // Values first: a form must not end in the middle of one and leave the rest.
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
  // Hardly any text has one: a search for each is faster than a look at every character.
  const beginning = new RegExp([...new Set([markBegin, ...values].map(beginningOf))].join("|"));
  const quickScan: Scan = (text, start, ended, ...more) => {
    const isWithout = ended
      ? !values.some((value) => text.includes(value, start))
      : start === 0 && !beginning.test(text);
    return isWithout
      ? { found: [], resumeAt: text.length, settledTo: text.length, wordAt: -1, looksBack: false }
      : scan(text, start, ended, ...more);
  };
  return { scan: quickScan, glance: undefined };
}

/** Matches wherever `value`, or a beginning of it that ends the text, may be. */
function beginningOf(value: string): string {
  const [first = "", second = ""] = [value.slice(0, 1), value.slice(1, 2)].map(escaped);
  return `${first}(?:${second}|$)`;
}

function redacted(text: string, { scan }: Scanner): string {
  const { found } = scan(text, 0, true);
  return found.length === 0 ? text : shown(text, 0, text.length, found);
}

/** Each stream gets the output of the previous one. */
function joined(streams: readonly RedactingStream[]): RedactingStream {
  return {
    push: (text) => streams.reduce((rest, stream) => stream.push(rest), text),
    end: () => streams.reduce((rest, stream) => stream.push(rest) + stream.end(), ""),
  };
}
