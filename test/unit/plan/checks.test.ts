import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { asRun, asWritten, hidesFailure } from "../../../functions/plan/checks.ts";

const code = (command: string, shell = "bash") => spawnSync(shell, ["-c", command]).status;

describe("a check whose output is piped into another command", () => {
  test.each([
    "false 2>&1 | tail -30",
    "echo a; (exit 3) | cat",
    "true && sh -c 'echo no; exit 1' | tee /dev/null | tail -5",
    "sh -c 'seq 100000; exit 1' 2>&1 | head -20",
    "false | head -n 3 | cat",
  ])("%s has the exit code from before the pipe", (command) => {
    expect(code(command)).toBe(0);
    expect(code(asRun(command))).not.toBe(0);
    expect(asWritten(asRun(command))).toBe(command);
    expect(hidesFailure(command)).toBe(false);
  });

  test.each(["true | tail -3", "seq 100000 | tail -1", "seq 100000 | head -1", "seq 9 | head"])(
    "%s passes",
    (command) => {
      expect(code(asRun(command))).toBe(0);
    },
  );

  test.each([
    "yes | head -1",
    "cat /dev/zero | head -c 10",
    'ls | while read -r file; do head -1 "$file"; done',
    "seq 3 | head -1 note.txt",
    "false | grep -c x || true",
    "set -o pipefail; false | tail",
    "echo 'a | tail'",
    "npm test",
  ])("%s is run as written", (command) => expect(asRun(command)).toBe(command));

  test("a shell without the option runs it all the same", () => {
    const shell = execFileSync("sh", ["-c", "command -v dash || command -v sh"], { encoding: "utf8" }).trim();
    expect(spawnSync(shell, ["-c", asRun("echo said | tail -1")], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: "said\n",
    });
  });

  test("other ways to hide a failure are reported", () => {
    expect(["false | grep x", "false | head -3 | wc -l"].map(hidesFailure)).toEqual([true, true]);
  });
});
