// Files that change while an agent works on them. Each line has an identity, and lines are shifted,
// duplicated, moved and blank.

import { anchorOf } from "../../shared/hashline/anchor.ts";
import type { Edit } from "../../shared/hashline/edit.ts";
import { generatedSource } from "./hashline-generated.ts";
import type { Random } from "./hashline-random.ts";

/** `id` distinguishes lines with the same text. */
export interface Line {
  id: number;
  text: string;
}

export interface Scene {
  base: Line[];
  live: Line[];
}

/**
 * Three kinds of files: existing ones, generated ones that resemble them, and files that consist almost
 * entirely of duplicate lines, which do not occur in practice.
 */
export type Workload =
  | { kind: "real source"; files: readonly (readonly string[])[] }
  | { kind: "generated source" }
  | { kind: "look-alikes" };

/** The lines of a file, and a source of new lines for it. */
interface Texts {
  texts: string[];
  word(random: Random): string;
}

/** A file, and the same file after one to seven changes of several lines each. */
export function makeScene(workload: Workload, random: Random): Scene {
  let lastId = 0;
  const line = (text: string): Line => {
    lastId += 1;
    return { id: lastId, text };
  };
  const { texts, word } = textsOf(workload, random);
  const base = texts.map(line);
  const live = [...base];
  for (let changes = 1 + random.below(random.chance(0.3) ? 7 : 3); changes > 0; changes -= 1) {
    change(live, random, (text = word(random)) => line(text));
  }
  return { base, live };
}

function textsOf(workload: Workload, random: Random): Texts {
  if (workload.kind === "look-alikes") return lookAlikes(random);
  const file = workload.kind === "real source" ? random.pick(workload.files) : generatedSource(random);
  const from = random.below(Math.max(1, file.length - 60));
  return { texts: file.slice(from, from + 20 + random.below(60)), word: (by) => by.pick(file) };
}

const vocabularies: ((random: Random) => string)[] = [
  (random) => random.pick(["a", "b", "c"]),
  (random) => random.pick(["", "", "", "x", "y"]),
  (random) => `k${random.below(8)}`,
  (random) => `k${random.below(40)}`,
];

function lookAlikes(random: Random): Texts {
  const word = random.pick(vocabularies);
  const texts: string[] = [];
  const size = 1 + random.below(random.chance(0.2) ? 60 : 24);
  while (texts.length < size) {
    const from = random.below(Math.max(1, texts.length));
    // Blocks are repeated, like copied functions.
    if (texts.length > 3 && random.chance(0.12)) texts.push(...texts.slice(from, from + 1 + random.below(5)));
    else texts.push(word(random));
  }
  return { texts, word };
}

type Change =
  | "insert"
  | "delete"
  | "rewrite"
  | "touch"
  | "blank in"
  | "blank out"
  | "move"
  | "copy"
  | "retype";

/**
 * Most changes only shift lines. Three in eleven duplicate lines or replace them by lines with the same text.
 */
const changes: readonly Change[] = [
  ...(["insert", "insert", "delete", "rewrite", "touch", "touch", "blank in", "blank out"] as const),
  ...(["move", "copy", "retype"] as const),
];

function change(live: Line[], random: Random, fresh: (text?: string) => Line): void {
  const at = random.below(live.length + 1);
  const count = 1 + random.below(4);
  const there = live.slice(at, at + count);
  const copies = (): Line[] => there.map((line) => fresh(line.text));
  const anywhere = (): number => random.below(live.length + 1);
  switch (random.pick(changes)) {
    case "insert":
      live.splice(at, 0, ...Array.from({ length: count }, () => fresh()));
      break;
    case "delete":
      live.splice(at, count);
      break;
    case "rewrite":
      live.splice(at, 1, fresh());
      break;
    case "touch":
      live.splice(at, count, ...there.map((line) => fresh(`${line.text} // touched`)));
      break;
    case "blank in":
      live.splice(at, 0, fresh(""));
      break;
    case "blank out": {
      const blank = live.findIndex((line, index) => index >= at && line.text === "");
      if (blank >= 0) live.splice(blank, 1);
      break;
    }
    case "move":
      live.splice(at, count);
      live.splice(anywhere(), 0, ...there);
      break;
    case "copy":
      live.splice(anywhere(), 0, ...copies());
      break;
    case "retype":
      // The lines are deleted and typed again.
      live.splice(at, count, ...copies());
  }
}

/**
 * One edit based on the old file. `from` and `to` are its base lines (from 0); they are equal for an
 * insertion.
 */
export interface PlannedEdit {
  edit: Edit;
  from: number;
  to: number;
  lines: string[];
}

export function makeEdit(base: readonly Line[], random: Random): PlannedEdit {
  const reference = (index: number): string => `${index + 1}${anchorOf(base[index]?.text ?? "")}`;
  const at = random.below(base.length);
  const last = Math.min(base.length - 1, at + (random.chance(0.6) ? 0 : random.below(5)));
  const lines = Array.from(
    { length: 1 + random.below(3) },
    (_, index) => `<new ${random.below(1_000_000)} ${index}>`,
  );
  const range = { at: reference(at), ...(last > at || random.chance(0.3) ? { to: reference(last) } : {}) };
  const op = random.below(4);
  if (op === 0) return { edit: { op: "replace", ...range, lines }, from: at, to: last + 1, lines };
  if (op === 1) return { edit: { op: "delete", ...range }, from: at, to: last + 1, lines: [] };
  if (op === 2) return { edit: { op: "insert_before", at: reference(at), lines }, from: at, to: at, lines };
  return { edit: { op: "insert_after", at: reference(at), lines }, from: at + 1, to: at + 1, lines };
}

/** The file's text. A file with lines ends with a newline. */
export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${line.text}\n`).join("");
}
