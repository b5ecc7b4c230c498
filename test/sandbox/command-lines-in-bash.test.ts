// bash itself as an oracle for the reading of command lines: made-up lines run in an empty folder, where every program is
// a name that does not exist, and bash tells which it would have started with which arguments.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canBecome, seenIn } from "../unit/command-risk/seen-programs.ts";
import { shellLine } from "../unit/command-risk/shell-lines.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handrail-bash-"));
  // No PATH: whatever is not a builtin comes here. `p3` prints a program's name, so that substitutions can make one.
  const handler = [
    "command_not_found_handle() {",
    '  { printf "%s\\0" "$#" "$@"; } >> "$RECORD"',
    '  if [ "$1" = p3 ]; then echo p4; fi',
    "}",
  ];
  writeFileSync(join(folder, "handler.sh"), handler.join("\n"));
});
// What a line left in the background may still write.
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

/** The programs that bash starts for `line`, each with its arguments. */
function ranInBash(line: string): string[][] {
  const work = mkdtempSync(join(folder, "work-"));
  // One for each line: what runs in the background may write after its line has ended.
  const record = `${work}.record`;
  writeFileSync(record, "");
  spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", line], {
    cwd: work,
    env: {
      PATH: join(folder, "none"),
      BASH_ENV: join(folder, "handler.sh"),
      RECORD: record,
      HOME: work,
      LC_ALL: "C.UTF-8",
    },
    input: "",
    timeout: 20_000,
  });
  const fields = readFileSync(record, "utf8").split("\0");
  const found: string[][] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    found.push(fields.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  rmSync(work, { recursive: true, force: true });
  return found;
}

/** What bash started and the reading neither names nor calls unknown. */
function unseen(line: string): string[][] {
  const seen = seenIn(line);
  if (!seen.isKnown) return [];
  return ranInBash(line).filter(
    (argv) => !seen.programs.some((words) => words.some((_, at) => canBecome(words.slice(at), argv))),
  );
}

test("the oracle sees what runs", () => {
  expect(ranInBash("p1 'a b' $(p3) && p2 | x=1 p5")).toEqual(
    expect.arrayContaining([["p3"], ["p1", "a b", "p4"], ["p2"], ["p5"]]),
  );
});

test("whatever bash starts was seen, or the line is called unknown", () => {
  fc.assert(
    fc.property(shellLine(), (line) => {
      expect(unseen(line)).toEqual([]);
    }),
    { numRuns: Number(process.env.HANDRAIL_SHELL_LINES ?? 400) },
  );
});
