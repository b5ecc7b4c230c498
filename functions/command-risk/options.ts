// Parses a program's arguments like getopt: the value of an option is not itself an option, `--` ends the options,
// short options can be combined, and long ones can be abbreviated.
import type { Word } from "./shell-word.ts";

export interface Option {
  /** `-x`, or the full `--name` if what was written abbreviates exactly one known name; otherwise as written. */
  name: string;
  /** Its value, attached or from the next word; undefined if it has none. */
  value: Word | undefined;
}

export interface ReadArguments {
  options: Option[];
  operands: Word[];
}

/**
 * Parses `args`. `spec` lists options by letter or name, each followed by `:` if it takes a value, `?` if it takes only
 * an attached one (`-i.bak`), or a space otherwise; options that are not listed count as having no value. `"first"`
 * stops at the first operand, like programs that run the rest.
 */
export function readArguments(
  args: readonly Word[],
  spec: string,
  until: "end" | "first" = "end",
): ReadArguments {
  const known = spec.match(/[^\s:?]+[:?]?/g) ?? [];
  const read: ReadArguments = { options: [], operands: [] };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (!word) break;
    const { text } = word;
    if (text === "--") {
      read.operands.push(...args.slice(at + 1));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      if (until === "first") {
        read.operands.push(...args.slice(at));
        break;
      }
      read.operands.push(word);
    } else if (text.startsWith("--")) at += readLong(word, args[at + 1], known, read.options);
    else at += readShort(word, args[at + 1], known, read.options);
  }
  return read;
}

/** Adds a long option; returns how many of the next words are its value. */
function readLong(word: Word, next: Word | undefined, known: readonly string[], into: Option[]): number {
  const equals = word.text.indexOf("=");
  const written = word.text.slice(2, equals < 0 ? undefined : equals);
  const fits = known.filter((entry) => bare(entry).length > 1 && bare(entry).startsWith(written));
  const entry = fits.find((name) => bare(name) === written) ?? fits[0];
  const name = `--${fits.length === 1 && entry ? bare(entry) : written}`;
  if (equals >= 0) {
    into.push({ name, value: { ...word, text: word.text.slice(equals + 1) } });
    return 0;
  }
  const takes = entry?.endsWith(":") ?? false;
  into.push({ name, value: takes ? next : undefined });
  return takes ? 1 : 0;
}

/** Adds a word of short options; returns how many of the next words are a value. */
function readShort(word: Word, next: Word | undefined, known: readonly string[], into: Option[]): number {
  for (let at = 1; at < word.text.length; at += 1) {
    const letter = word.text[at] ?? "";
    const rest = word.text.slice(at + 1);
    if (known.includes(`${letter}:`)) {
      into.push({ name: `-${letter}`, value: rest === "" ? next : { ...word, text: rest } });
      return rest === "" ? 1 : 0;
    }
    into.push({ name: `-${letter}`, value: undefined });
    // The rest is its value, which no rule looks at.
    if (known.includes(`${letter}?`)) break;
  }
  return 0;
}

function bare(entry: string): string {
  return entry.replace(/[:?]$/, "");
}

/** The values of the options `names`, in order. */
export function valuesOf({ options }: ReadArguments, ...names: string[]): Word[] {
  return options.flatMap(({ name, value }) => (value && names.includes(name) ? [value] : []));
}

/** Whether one of `names` is given and no later `undoing` option cancels it. */
export function isOn(
  { options }: ReadArguments,
  names: readonly string[],
  undoing: readonly string[] = [],
): boolean {
  const last = options.findLast(({ name }) => names.includes(name) || undoing.includes(name));
  return last !== undefined && names.includes(last.name);
}
