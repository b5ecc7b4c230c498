// Compares our reading of command lines with bash itself. Generated lines run in an empty folder without any
// programs, and bash reports which programs it would have started with which arguments.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runs } from "../harness/runs.ts";
import { canBecome, seenIn } from "../unit/command-risk/seen-programs.ts";
import { shellLine } from "../unit/command-risk/shell-lines.ts";

/** Ends a line that waits, or runs in the background, forever. */
const longestMs = 3_000;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handrail-bash-"));
  // There is no PATH, so every word that is not a builtin ends up here. `p3` prints a program's name, so that
  // substitutions can produce one.
  const handler = [
    "command_not_found_handle() {",
    '  { printf "%s\\0" "$#" "$@"; } >> "$RECORD"',
    '  if [ "$1" = p3 ]; then echo p4; fi',
    "}",
  ];
  writeFileSync(join(folder, "handler.sh"), handler.join("\n"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The programs that bash starts for `line`, each with its arguments. No process of the line is left. */
async function ranInBash(line: string): Promise<string[][]> {
  const work = mkdtempSync(join(folder, "work-"));
  // Each line has its own record, because background commands may still write after their line has ended.
  const record = `${work}.record`;
  writeFileSync(record, "");
  const bash = spawn("/bin/bash", ["--norc", "--noprofile", "-c", line], {
    cwd: work,
    env: {
      PATH: join(folder, "none"),
      BASH_ENV: join(folder, "handler.sh"),
      RECORD: record,
      HOME: work,
      LC_ALL: "C.UTF-8",
    },
    stdio: ["ignore", "pipe", "ignore"],
    // The line has its own process group, because a generated function that calls itself in the background
    // would run forever.
    detached: true,
  });
  // The stream closes when everything that the line left in the background has ended too.
  bash.stdout.resume();
  const ended = new Promise((resolve, reject) => bash.once("close", resolve).once("error", reject));
  const late = setTimeout(() => endGroup(bash.pid), longestMs);
  await ended;
  clearTimeout(late);
  endGroup(bash.pid);
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

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Every process of the line has ended.
  }
}

/** Programs that bash started and that our reading neither names nor reports as unknown. */
async function unseen(line: string): Promise<string[][]> {
  const seen = seenIn(line);
  if (!seen.isKnown) return [];
  return (await ranInBash(line)).filter(
    (argv) => !seen.programs.some((words) => words.some((_, at) => canBecome(words.slice(at), argv))),
  );
}

test("the reference run sees what bash starts", async () => {
  expect(await ranInBash("p1 'a b' $(p3) && p2 | x=1 p5")).toEqual(
    expect.arrayContaining([["p3"], ["p1", "a b", "p4"], ["p2"], ["p5"]]),
  );
});

test("everything bash starts was predicted, or the line is called unknown", { tags: "random" }, async () => {
  await fc.assert(
    fc.asyncProperty(shellLine(), async (line) => {
      expect(await unseen(line)).toEqual([]);
    }),
    { numRuns: runs(Number(process.env.HANDRAIL_SHELL_LINES ?? 400), 60) },
  );
});
