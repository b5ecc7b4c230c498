// Files that change under an agent's hands: lines that know who they are, drift, twins, moves and blank lines.

import { anchorOf } from "../../shared/hashline/anchor.ts";
import type { Edit } from "../../shared/sandbox.ts";
import type { Random } from "./hashline-random.ts";

/** `id` tells lines apart that read the same; `recreates` is the id of a lost line that this one was typed again for. */
export interface Line {
  id: number;
  text: string;
  recreates?: number;
}

export interface Scene {
  base: Line[];
  live: Line[];
}

type Vocabulary = (random: Random) => string;

/** From ordinary code with its braces and blanks to files of almost nothing but twins. */
const vocabularies: Vocabulary[] = [
  (random) =>
    random.chance(0.45)
      ? random.pick(["", "", "}", "  }", "    }", "  return null;", "else {", "  });", "*/", "  break;"])
      : `  const ${random.pick(["user", "row", "total", "next", "item"])}${random.below(400)} = read(${random.below(50)});`,
  (random) => random.pick(["a", "b", "c"]),
  (random) => random.pick(["", "", "", "x", "y"]),
  (random) => `k${random.below(8)}`,
  (random) => `k${random.below(40)}`,
  (random) => (random.chance(0.2) ? "" : `line ${random.below(1_000_000)}`),
];

/** Two kinds of files: lines made to look alike, and windows of real source files. */
export type Workload = { kind: "look-alikes" } | { kind: "source"; files: readonly (readonly string[])[] };

/** A file and what became of it, by one to seven changes of several lines each. */
export function makeScene(workload: Workload, random: Random): Scene {
  let lastId = 0;
  const line = (text: string): Line => {
    lastId += 1;
    return { id: lastId, text };
  };
  const { texts, word } =
    workload.kind === "source" ? sourceTexts(workload.files, random) : lookAlikeTexts(random);
  const base = texts.map(line);
  const live = [...base];
  for (let changes = 1 + random.below(random.chance(0.3) ? 7 : 3); changes > 0; changes -= 1) {
    change(live, random, (text = word(random)) => line(text));
  }
  return { base, live };
}

interface Texts {
  texts: string[];
  word: Vocabulary;
}

function lookAlikeTexts(random: Random): Texts {
  const word = random.pick(vocabularies);
  const texts: string[] = [];
  const size = 1 + random.below(random.chance(0.2) ? 60 : 24);
  while (texts.length < size) {
    const from = random.below(Math.max(1, texts.length));
    // Blocks that come again, as copied functions do.
    if (texts.length > 3 && random.chance(0.12)) texts.push(...texts.slice(from, from + 1 + random.below(5)));
    else texts.push(word(random));
  }
  return { texts, word };
}

function sourceTexts(files: readonly (readonly string[])[], random: Random): Texts {
  const file = random.pick(files);
  const from = random.below(Math.max(1, file.length - 60));
  return { texts: file.slice(from, from + 20 + random.below(60)), word: (by) => by.pick(file) };
}

function change(live: Line[], random: Random, fresh: (text?: string) => Line): void {
  const at = random.below(live.length + 1);
  const count = 1 + random.below(4);
  const kind = random.below(7);
  if (kind === 0) {
    live.splice(at, 0, ...Array.from({ length: count }, () => fresh()));
  } else if (kind === 1) {
    live.splice(at, count);
  } else if (kind === 2) {
    live.splice(at, 1, fresh());
  } else if (kind === 3) {
    const moved = live.splice(at, count);
    live.splice(random.below(live.length + 1), 0, ...moved);
  } else if (kind === 4) {
    const copies = live.slice(at, at + count).map((line) => fresh(line.text));
    live.splice(random.below(live.length + 1), 0, ...copies);
  } else if (kind === 5) {
    // Somebody deletes lines and types the same again.
    const lost = live.slice(at, at + count);
    const again = lost.map((line) => ({ ...fresh(line.text), recreates: line.id }));
    live.splice(at, count, ...again);
  } else {
    live.splice(at, count, ...live.slice(at, at + count).map((line) => fresh(`${line.text} // touched`)));
  }
}

/** One edit against the base; `from` and `to` are the base lines (from 0) that it means, equal for an insertion. */
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

/** The file's text; a file of lines ends with a newline. */
export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${line.text}\n`).join("");
}
