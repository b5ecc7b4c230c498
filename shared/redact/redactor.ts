// Replaces secrets in text by marks, whole or as it streams. Pure; which secrets: known forms, names before a value,
// and values given.
import { formKinds, formRules } from "./forms.ts";
import { type Found, lookBehindChars, type Rule } from "./rule.ts";
import { type Scanner, scannerOf } from "./scan.ts";

export interface Redactor {
  /** `text` with a mark in each secret's place; line ends stay where they are. Idempotent. */
  redact(text: string): string;
  /** For text that comes in pieces: what is put out is in sum what `redact` makes of the whole. */
  stream(): RedactingStream;
}

export interface RedactingStream {
  /** What can be shown of everything so far and was not yet. The end may be held back until it is clear what it is. */
  push(text: string): string;
  /** What was held back. */
  end(): string;
}

/** Leaves every text as it is. */
export const nothingSecret: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (text) => text, end: () => "" }),
};

/** Shorter values stand in too much text by chance. */
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
  return {
    redact: (text) => scanners.reduce(redacted, text),
    stream: () => joined(scanners.map(streamOf)),
  };
}

function valueScanner(values: readonly string[]): Scanner {
  const rule =
    (value: string): Rule =>
    (_text, at) => ({ from: at, to: at + value.length, kind: "secret" });
  const prefixes = new Map(values.map((value) => [value, rule(value)]));
  return scannerOf({ prefixes, words: new Map(), inWord: () => true }, kinds);
}

function redacted(text: string, scan: Scanner): string {
  const { found } = scan(text, 0, true);
  return found.length === 0 ? text : shown(text, 0, text.length, found);
}

/** Each stream gets what the one before it shows. */
function joined(streams: readonly RedactingStream[]): RedactingStream {
  return {
    push: (text) => streams.reduce((rest, stream) => stream.push(rest), text),
    end: () => streams.reduce((rest, stream) => stream.push(rest) + stream.end(), ""),
  };
}

function streamOf(scan: Scanner): RedactingStream {
  /** Everything not yet settled, and what rules may look back at. The places below are in it. */
  let text = "";
  let [scannedTo, shownTo, wordAt] = [0, 0, -1];
  return {
    push: (more) => advance(more, false),
    end: () => advance("", true),
  };

  function advance(more: string, ended: boolean): string {
    if (more === "" && !ended) return "";
    text += more;
    const result = scan(text, scannedTo, ended, wordAt);
    const from = shownTo;
    shownTo = Math.max(shownTo, result.settledTo);
    const out = shown(text, from, shownTo, result.found);
    const cut = Math.max(0, Math.min(result.resumeAt, shownTo) - lookBehindChars);
    text = text.slice(cut);
    [scannedTo, shownTo, wordAt] = [result.resumeAt - cut, shownTo - cut, result.wordAt - cut];
    return out;
  }
}

function shown(text: string, from: number, to: number, found: readonly Found[]): string {
  const parts: string[] = [];
  let at = from;
  for (const secret of found) {
    parts.push(text.slice(at, secret.from), marked(text.slice(secret.from, secret.to), secret.kind));
    at = secret.to;
  }
  parts.push(text.slice(at, to));
  return parts.join("");
}

/** A secret of several lines leaves a mark on each: line numbers go on holding. */
function marked(secret: string, kind: string): string {
  return secret.replace(/[^\r\n]+/g, `[redacted: ${kind}]`);
}
