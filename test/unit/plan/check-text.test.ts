import { expect, test } from "vitest";
import { checkEnd, checkOutput, passedOutput, tellingLine } from "../../../functions/plan/checks.ts";
import type { ExecValue } from "../../../shared/sandbox.ts";

const exec = (stdout: string, more: Partial<ExecValue> = {}): ExecValue => ({
  ...{ exitCode: 1, signal: null, timedOut: false, stdout, stderr: "", truncated: false },
  ...more,
});
const lines = (count: number, word = "passed") =>
  Array.from({ length: count }, (_, index) => `line ${index} ${word}`);

test("a short output is shown whole, stderr after stdout", () => {
  expect(checkOutput(exec("a\nb\n", { stderr: "c\n" }))).toBe("a\nb\nc");
  expect(checkOutput(exec(""))).toBe("(no output)");
});

test("of a long one the failing lines, what follows them, and the tail are shown; the rest is counted", () => {
  const output = [
    ...lines(500),
    "not ok 3 - it adds",
    "  got 5",
    ...lines(800),
    "Tests: 0 failed in setup",
    ...lines(30),
  ];
  const shown = checkOutput(exec(output.join("\n"))).split("\n");
  expect(shown.length).toBeLessThanOrEqual(60);
  expect(shown).toEqual(
    expect.arrayContaining(["[… 500 lines not shown …]", "not ok 3 - it adds", "  got 5", "line 29 passed"]),
  );
  expect(shown).not.toContain("Tests: 0 failed in setup");
});

test("at most 60 lines are shown, none endless, however much fails", () => {
  for (const step of [1, 2, 3, 7]) {
    const output = lines(5_000).map((line, index) => (index % step === 0 ? `Error: ${line}` : line));
    expect(checkOutput(exec(output.join("\n"))).split("\n").length).toBeLessThanOrEqual(60);
  }
  expect(checkOutput(exec("x".repeat(100_000))).length).toBeLessThan(1_000);
});

test("a check runs for five minutes unless its time is set, and a timeout names the limit", () => {
  const late = exec("", { exitCode: null, timedOut: true });
  expect(checkEnd({ command: "npm test" }, late, undefined)).toBe("it ran out of its time, 300 s");
  const long = { command: "npm test", timeoutMs: 600_000 };
  expect(checkEnd(long, late, undefined)).toBe("it ran out of its time, 600 s");
  expect(checkEnd(long, exec("", { exitCode: null, signal: "SIGKILL" }), undefined)).toBe("ended by SIGKILL");
  expect(checkEnd(long, undefined, "no room")).toBe("it could not be run: no room");
});

test("a single line between failures is shown, instead of a note that one line is left out", () => {
  const output = [...lines(50), "not ok 1", "  a", "  b", "c", "not ok 2", ...lines(60)];
  expect(checkOutput(exec(output.join("\n")))).toContain("not ok 1\n  a\n  b\nc\nnot ok 2\n");
});

test("a failure is summed up by the last line that mentions one, not by a time", () => {
  const tap = "not ok 1 - adds\n# pass 4\n# fail 1\n# todo 0\n# duration_ms 501.8\n";
  expect(tellingLine(exec(tap))).toBe("# fail 1");
  expect(tellingLine(exec("one\ntwo\n\n"))).toBe("two");
});

test("a passed check shows its last relevant lines, short, and that a pipe has its last command's exit code", () => {
  const tap = exec(["# tests 3", "", "# pass 2", `# fail 1${"x".repeat(500)}`, "# skipped 0"].join("\n"), {
    exitCode: 0,
  });
  const [head, ...last] = passedOutput({ command: "node --test x | grep not" }, tap).split("\n");
  expect(head).toBe(
    "It exited 0: the exit code of the last command of a pipe, whatever those before it ended with. Its last lines:",
  );
  expect(last).toEqual(["# tests 3", "# pass 2", expect.stringMatching(/^# fail 1x{100,}…$/)]);
  const bare = exec("building\nlinked\n\nwritten\ndone\n", { exitCode: 0 });
  expect(passedOutput({ command: "make" }, bare)).toBe("It exited 0. Its last lines:\nlinked\nwritten\ndone");
  // The commands run with `pipefail`: see `asRun`.
  for (const command of ["set -o pipefail; a | tail", "grep -E 'a|b' x || true", "a 2>&1 | tail -30"])
    expect(passedOutput({ command }, exec("", { exitCode: 0 }))).toBe("It exited 0.");
});

test("passed tests are not shown as failures, whatever their names", () => {
  const passed = [
    "  ✔ error is thrown (3ms)",
    "ok 4 - fails on errors",
    "PASS test/error.test.ts",
    "--- PASS: TestError",
  ];
  const more = ["t.py::test_error PASSED [ 3%]", "test error::undefined ... ok"];
  const output = [...lines(40), ...passed, ...more, "✘ cannot read", ...lines(60)];
  const text = checkOutput(exec(output.join("\n")));
  for (const line of [...passed, ...more]) expect(text).not.toContain(line);
  expect(text).toContain("✘ cannot read");
  expect(tellingLine(exec("not ok 1 - adds\nok 2 - error\n"))).toBe("not ok 1 - adds");
});
