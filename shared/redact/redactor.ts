// Replaces secrets in text by marks, whole or as it streams. Pure; which secrets: well-known shapes, and values given.
import { type Shape, shapes } from "./shapes.ts";

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

/** No secret is longer; a text that looks like one for as long is shown. */
const maxHeldChars = 32_768;
/** Shorter values stand in too much text by chance. */
const minValueLength = 8;

/** `values`: secrets that are known by their value, such as our own tokens. `forms`: none = only those values. */
export function createRedactor(values: readonly string[] = [], forms: readonly Shape[] = shapes): Redactor {
  const known = [...new Set(values)].filter((value) => value.length >= minValueLength);
  const wholes = [known.map(escaped), forms === shapes ? wholeShapes : forms.map(wholeOf)].flatMap(
    (sources) => (sources.length > 0 ? [new RegExp(sources.join("|"), "g")] : []),
  );
  /** Not everybody streams. */
  let unfinished: RegExp | undefined;
  let start: RegExp | undefined;
  // Values first: a shape must not end in the middle of one and leave the rest.
  const redact = (text: string) => wholes.reduce((rest, whole) => rest.replace(whole, marked), text);
  return { redact, stream };

  function stream(): RedactingStream {
    unfinished ??= new RegExp(`(?:${[...known.map(beginningsOf), unfinishedShapes].join("|")})$`);
    start ??= new RegExp([...known.map(startOf), shapeStarts].join("|"));
    const beginning = unfinished;
    const anyStart = start;
    /** The last character shown, which says whether a word begins behind it; then what is held back. */
    let text = "";
    let shownChars = 0;
    const show = (upTo: number) => {
      // A mark keeps the first character's place: what begins there was shown, so no secret begins there.
      const shown = redact(text.slice(0, upTo)).slice(shownChars);
      text = text.slice(Math.max(0, upTo - 1));
      shownChars = Math.min(1, upTo);
      return shown;
    };
    return {
      push(more) {
        const holds = text.length > shownChars;
        text += more;
        // Most pieces hold no beginning of any secret: one look says so.
        if (!holds && !anyStart.test(text)) {
          text = text.slice(-1);
          shownChars = text.length;
          return more;
        }
        const from = text.length > maxHeldChars ? -1 : text.slice(shownChars).search(beginning);
        return show(from === -1 ? text.length : shownChars + from);
      },
      end: () => show(text.length),
    };
  }
}

/** A secret of several lines leaves a mark on each: line numbers go on holding. */
function marked(secret: string): string {
  const shape = shapes.find(({ prefixes }) => prefixes.some((prefix) => secret.startsWith(prefix)));
  const mark = `[redacted: ${shape?.kind ?? "secret"}]`;
  return secret.replace(/[^\r\n]+/g, mark);
}

/** Not in the middle of a word: `task-list-…` holds no `sk-`. */
const notInWord = "(?<![A-Za-z0-9_])";

/** Made once: a turn makes redactors of its own. */
const wholeShapes = shapes.map(wholeOf);
const shapeStarts = `${notInWord}(?:${[...new Set(shapes.flatMap(({ prefixes }) => prefixes.map(startOf)))].join("|")})`;
const unfinishedShapes = shapes.map(unfinishedOf).join("|");

function wholeOf({ prefixes, rest }: Shape): string {
  return `${notInWord}(?:${prefixes.map(escaped).join("|")})${rest}`;
}

function unfinishedOf({ prefixes, body }: Shape): string {
  return `${notInWord}(?:${prefixes.map((prefix) => `${beginningsOf(prefix)}|${escaped(prefix)}[${body}]*`).join("|")})`;
}

/** Matches each proper beginning of `text`. */
function beginningsOf(text: string): string {
  const [first = "", ...rest] = [...text.slice(0, -1)].map(escaped);
  return first + rest.reduceRight((behind, char) => `(?:${char}${behind})?`, "");
}

/** Matches wherever `text`, or a beginning of it that ends the whole, may stand: by its first two characters. */
function startOf(text: string): string {
  const [first = "", second = ""] = text;
  return `${escaped(first)}(?:${escaped(second)}|$)`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
