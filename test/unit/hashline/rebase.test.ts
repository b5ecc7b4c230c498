import { expect, test } from "vitest";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { sourceFiles } from "../../bench/hashline-source.ts";
import { runStale } from "../../bench/hashline-stale.ts";
import { mustApply, mustReject, ref } from "./text-of.ts";

const base = "import x\n\nfunction a() {\n  return 1;\n}\n\nfunction b() {\n  return 1;\n}\n";
const at = (number: number): string => ref(base, number);
const setB: Edit[] = [{ op: "replace", at: at(8), lines: ["  return 2;"] }];
const changedB = (text: string): string => text.replace(/(b\(\) \{\n {2}return) 1/, "$1 2");

test("lines inserted or deleted above do not matter, and the new position is reported", () => {
  const inserted = `// licence\n${base}`;
  const result = mustApply({ base, live: inserted, edits: setB });
  expect(result.text).toBe(changedB(inserted));
  expect(result.warnings).toEqual([expect.stringContaining("8 → 9")]);
  const deleted = base.replace("import x\n", "");
  expect(mustApply({ base, live: deleted, edits: setB }).text).toBe(changedB(deleted));
});

test("a changed target is refused, with the rows where it is now", () => {
  const live = `// licence\n${base.replace("b() {\n  return 1", "b() {\n  return 3")}`;
  const refusal = mustReject({ base, live, edits: setB, path: "src/a.ts", version: "v7" });
  expect(refusal).toMatchObject({ ok: false, code: "stale_file", reason: "stale_lines" });
  expect(refusal.message.startsWith("REJECTED, nothing written")).toBe(true);
  expect(refusal.message).toContain(`[src/a.ts @v7 lines 7-10 of 10]`);
  expect(refusal.message).toContain(`${ref(live, 9)}|  return 3;`);
});

test("when the first of two identical blocks changes, its edit is not applied to the second", () => {
  const twins = "start\nif (x) {\n  go();\n}\nmiddle\nif (x) {\n  go();\n}\nend\n";
  const edit: Edit[] = [{ op: "replace", at: ref(twins, 3), lines: ["  stop();"] }];
  for (const live of [
    twins.replace("  go();", "  went();"),
    twins.replace("if (x) {\n  go();\n}\n", ""),
    twins.replace("start\nif (x) {\n  go();\n}\nmiddle\n", ""),
  ]) {
    expect(mustReject({ base: twins, live, edits: edit }).reason).toBe("stale_lines");
  }
});

test("two stale references are both reported, with everything else that is wrong", () => {
  const live = base.replaceAll("return 1", "return 3");
  const edits: Edit[] = [
    { op: "replace", at: at(4), lines: ["x"] },
    { op: "delete", at: at(8) },
    { op: "delete", at: "99foo" },
    { op: "delete", at: at(1).slice(0, 1) + (at(1).endsWith("foo") ? "bar" : "foo") },
    { op: "insert_after", at: "line 3", lines: ["x"] },
    { op: "replace", at: at(9), to: at(7), lines: ["x"] },
  ];
  const refusal = mustReject({ base, live, edits });
  expect(refusal.code).toBe("stale_file");
  expect(refusal.problems.map(({ edit, reason }) => [edit, reason])).toEqual([
    [0, "stale_lines"],
    [1, "stale_lines"],
    [2, "out_of_range"],
    [3, "anchor_mismatch"],
    [4, "bad_reference"],
    [5, "out_of_range"],
  ]);
  expect(refusal.message).toContain("there is no line 99: the file has 9 lines");
  for (const index of edits.keys()) expect(refusal.message).toContain(`edits[${index}]`);
  // The position in the request does not matter: a model that reads the file again can correct most of it.
  expect(mustReject({ base, live, edits: edits.toReversed() }).reason).toBe("anchor_mismatch");
  expect(mustReject({ base, live, edits: [edits[2], edits[4], edits[1]] as Edit[] }).reason).toBe(
    "stale_lines",
  );
});

test("a line added to a range makes the range stale, and so does one removed from it", () => {
  const edits: Edit[] = [{ op: "replace", at: at(3), to: at(5), lines: ["x"] }];
  for (const live of [
    base.replace("  return 1;\n}\n\nf", "  log();\n  return 1;\n}\n\nf"),
    base.replace("  return 1;\n", ""),
  ]) {
    expect(mustReject({ base, live, edits }).reason).toBe("stale_lines");
  }
});

test("an insertion needs the lines on both sides of its gap, still adjacent", () => {
  const plain = "a\nb\nc\nd\n";
  const edits: Edit[] = [{ op: "insert_after", at: ref(plain, 2), lines: ["new"] }];
  expect(mustApply({ base: plain, live: "x\na\nb\nc\nd\n", edits }).text).toBe("x\na\nb\nnew\nc\nd\n");
  for (const live of ["a\nb\nX\nc\nd\n", "a\nb\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n"]) {
    expect(mustReject({ base: plain, live, edits }).reason).toBe("stale_lines");
  }
});

test("edits at the ends of the file need no number and apply to a changed file", () => {
  const edits: Edit[] = [
    { op: "append", lines: ["end"] },
    { op: "prepend", lines: ["start"] },
  ];
  expect(mustApply({ base: "a\n", live: "x\ny\n", edits }).text).toBe("start\nx\ny\nend\n");
});

test("one edit that cannot be applied keeps the others from being applied", () => {
  const live = base.replace("import x", "import y");
  const edits: Edit[] = [{ op: "delete", at: at(1) }, ...setB];
  expect(mustReject({ base, live, edits }).problems).toHaveLength(1);
});

test("an anchor must match its line although the file has not changed", () => {
  const other = at(4).replace(/[a-z]+/, at(1).slice(1));
  const refusal = mustReject({ live: base, edits: [{ op: "delete", at: other }] });
  expect(refusal).toMatchObject({ code: "stale_file", reason: "anchor_mismatch" });
  const rows = base.split("\n").map((line, index) => `${ref(base, Math.min(index + 1, 9))}|${line}`);
  expect(refusal.message.endsWith(`:\n${rows.slice(1, 6).join("\n")}`)).toBe(true);
});

test("a file whose line ends were all rewritten is a changed file", () => {
  expect(mustReject({ base, live: base.replaceAll("\n", "\r\n"), edits: setB }).reason).toBe("stale_lines");
});

test("lines appended to a file without a final newline leave its last line unchanged, CRLF or not", () => {
  const unterminated = "a\r\nb";
  const edits: Edit[] = [{ op: "replace", at: ref(unterminated, 2), lines: ["B"] }];
  expect(mustApply({ base: unterminated, live: "a\r\nb\r\nc", edits }).text).toBe("a\r\nB\r\nc");
});

test("a refusal stays small whatever it is about, and its problems are all there as data", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `line ${index} ${"x".repeat(900)}\n`).join("");
  const live = many.replaceAll("line", "row");
  const edits: Edit[] = Array.from({ length: 100 }, (_, index) => ({
    op: "delete",
    at: ref(many, index * 30 + 1),
  }));
  const refusal = mustReject({ base: many, live, edits });
  expect(refusal.message.length).toBeLessThan(16_000);
  expect(refusal.message).toContain("and 50 more");
  expect(refusal.problems).toHaveLength(100);
});

test("thousands of stale edits are applied where every shortest diff puts them, or not at all", () => {
  for (const workload of [
    { kind: "look-alikes" } as const,
    { kind: "generated source" } as const,
    { kind: "real source", files: sourceFiles() } as const,
  ]) {
    const report = runStale(3_000, 20, workload);
    expect(report).toMatchObject({ misplaced: 0, wrongText: 0, needlessRefusals: 0, firstBad: null });
    expect(report.accepted).toBeGreaterThan(report.edits / 5);
  }
});

test("200,000 lines that are all equal, all new or all duplicated are finished too", { tags: "long" }, () => {
  const lines = (text: (index: number) => string): string =>
    Array.from({ length: 200_000 }, (_, index) => `${text(index)}\n`).join("");
  const same = lines(() => "same");
  const edits: Edit[] = [{ op: "delete", at: ref(same, 1_000) }];
  expect(mustApply({ base: same, live: `${same}other\n`, edits }).removed).toBe(1);
  for (const live of [`${same}same\n`, lines((index) => `new ${index}`), same.slice(0, 500_000)])
    expect(mustReject({ base: same, live, edits }).reason).toBe("stale_lines");
  const twins = lines((index) => `t${(index * 7_919) % 53}`);
  const one: Edit[] = [{ op: "delete", at: ref(twins, 1_000) }];
  const live = lines((index) => `t${(index * 104_729) % 47}`);
  expect(mustReject({ base: twins, live, edits: one }).reason).toBe("stale_lines");
});

test("of many warnings the first are reported, and each once", () => {
  const live = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join("");
  const edits: Edit[] = Array.from({ length: 50 }, (_, index) => ({
    op: "insert_after",
    at: ref(live, 2 * index + 1),
    lines: [`line ${2 * index}`],
  }));
  const { warnings } = mustApply({ live, edits });
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe("and 30 more warnings");
});
