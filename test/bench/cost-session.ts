// A model's session of 300 rounds: planning, then work, with the results of the real tools on this
// repository.
import { readFile } from "../../functions/tools/read-file.ts";
import { runCommand } from "../../functions/tools/run-command.ts";
import { searchFiles } from "../../functions/tools/search-files.ts";
import type { Tool } from "../../functions/tools/tool.ts";
import { applyEdits } from "../../shared/hashline/apply.ts";
import { renderRows } from "../../shared/hashline/rows.ts";
import { sourceFiles } from "./hashline-source.ts";

/** The calls of one answer of the model, and their results. */
export interface Round {
  said: string;
  name: string;
  args: object;
  result: string;
  /** The same result without any of our formatting: the plain text of a file, or the output of a command. */
  plain: string;
}

interface SourceFile {
  path: string;
  text: string;
}

function ownFiles(): SourceFile[] {
  return sourceFiles().map((lines, index) => ({
    path: `src/file${index}.ts`,
    text: `${lines.join("\n")}\n`,
  }));
}

/** The seed is fixed, so that two runs give the same result. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
}

const words = ["import", "export function", "const ", "return", "Promise", "readonly", "throw new"];

/**
 * Makes `count` rounds. The kinds and sizes of their calls are those of a model's recorded work on a
 * repository of 300 files.
 */
export function sessionRounds(count: number, files: readonly SourceFile[] = ownFiles()): Round[] {
  const random = randomFrom(7);
  const pick = <T>(list: readonly T[]): T => {
    const one = list[random(list.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  };
  return Array.from({ length: count }, (_, index) => {
    const { path, text } = pick(files);
    const kind = random(100);
    if (kind < 42) return read(path, text, random);
    if (kind < 57) return search(pick(words), files, random);
    if (kind < 80) return edit(path, text, random);
    return run(index, path, random);
  });
}

function read(path: string, text: string, random: (below: number) => number): Round {
  const whole = renderRows(text);
  const start = whole.total > 220 && random(2) === 0 ? 1 + random(whole.total - 120) : 1;
  const shown = renderRows(text, { start, end: start + 219 });
  const value = { path, version: "v1", ...shown };
  const plain = text
    .split("\n")
    .slice(start - 1, shown.end)
    .join("\n");
  return {
    said: "",
    name: "read_file",
    args: { path, lines: `${start}-${shown.end}` },
    result: textOf(readFile, value),
    plain,
  };
}

function search(word: string, files: readonly SourceFile[], random: (below: number) => number): Round {
  let left = 10 + random(30);
  const from = random(files.length);
  const matches = [...files.slice(from), ...files.slice(0, from)].flatMap(({ path, text }) => {
    const lines = text.split("\n").flatMap((line, index) => (line.includes(word) ? [index + 1] : []));
    const some = lines.slice(0, Math.max(0, Math.min(left, 5)));
    left -= some.length;
    if (some.length === 0) return [];
    const rows = some.map((line) => renderRows(text, { start: line, end: line }).rows).join("\n");
    return [{ path, version: "v1", rows, total: text.split("\n").length, lines: some }];
  });
  const result = textOf(searchFiles, { matches, truncated: true });
  const plain = matches
    .flatMap(({ path, rows }) =>
      rows.split("\n").map((row) => `${path}:${row.replace(/^(\d+)[a-z]{3}\|/, "$1: ")}`),
    )
    .join("\n");
  return { said: "", name: "search_files", args: { pattern: word }, result, plain };
}

function edit(path: string, text: string, random: (below: number) => number): Round {
  const rows = renderRows(text);
  const at = 1 + random(Math.max(1, rows.total - 4));
  const reference = rows.rows.split("\n")[at - 1]?.split("|")[0] ?? "1the";
  const lines = Array.from(
    { length: 1 + random(14) },
    (_, n) => `  const changed${n} = await next(${n}, options);`,
  );
  const edits = [{ op: "replace" as const, at: reference, lines }];
  const made = applyEdits({ live: text, edits, path, version: "v1" });
  const result = made.ok ? `[${path} @v2] +${made.added} -${made.removed}\n${made.rows}` : made.message;
  return {
    said: "Now the change itself.",
    name: "edit_file",
    args: { path, base: "v1", edits },
    result,
    plain: `Edited ${path}.`,
  };
}

function run(index: number, path: string, random: (below: number) => number): Round {
  const failed = random(3) === 0;
  const lines = Array.from(
    { length: 4 + random(failed ? 90 : 25) },
    (_, n) => ` ✓ ${path} > case ${index}.${n} holds (${n} ms)`,
  );
  const stdout = `${lines.join("\n")}\n${failed ? `FAIL ${path}\nAssertionError: expected ${index} to be ${index + 1}` : "all passed"}\n`;
  const value = {
    exitCode: failed ? 1 : 0,
    signal: null,
    timedOut: false,
    stdout,
    stderr: "",
    truncated: false,
  };
  return {
    said: "",
    name: "run_command",
    args: { command: `npx vitest run ${path}` },
    result: textOf(runCommand, value),
    plain: stdout,
  };
}

function textOf(tool: Tool, value: unknown): string {
  if (tool.kind !== "sandbox") throw new Error(`${tool.name} is no tool of the sandbox`);
  const result = { key: "k", ok: true, value, replayed: false, at: 0, ms: 1 };
  return tool.resultText(result).text;
}
