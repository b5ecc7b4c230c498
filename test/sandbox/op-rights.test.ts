// The rights of each op: which ops may write, and which lock they take.
import { describe, expect, test } from "vitest";
import { checkArgs, lockOf, mutates } from "../../sandbox/ops/run-op.ts";
import { HandrailError } from "../../shared/errors.ts";
import { OpName } from "../../shared/sandbox.ts";

const writing = ["change", "restore", "commit"];

describe("a writing op", () => {
  test.each(OpName.def.values)("is distinguished from a reading one: %s", (op) => {
    expect(mutates(op, {})).toBe(writing.includes(op));
  });

  test.each([
    ["add", true],
    ["commit", true],
    ["status", false],
    ["diff", false],
    ["log", false],
    ["show", false],
    ["branch", false],
  ])("is git %s: %s", (verb, is) => {
    expect([mutates("git", { verb }), lockOf("git", { verb }, "write")]).toEqual([
      is,
      is ? "change" : "read",
    ]);
  });
});

describe("the lock on a folder", () => {
  test.each([
    ["exec", {}, "write", "run"],
    ["exec", {}, "readonly", "read"],
    ["exec", { tree: "a" }, "write", "read"],
    ["snapshot", {}, "readonly", "run"],
    ["change", {}, "write", "change"],
    ["restore", {}, "write", "change"],
    ["commit", {}, "write", "change"],
    ["read", {}, "write", "read"],
    ["search", {}, "write", "read"],
    ["list", {}, "write", "read"],
    ["look", {}, "write", "read"],
  ] as const)("for %s with %j and %s access is: %s", (op, args, access, kind) => {
    expect(lockOf(op, args, access)).toBe(kind);
  });
});

test.each(OpName.def.values)("%s names the fault in arguments of the wrong form", (op) => {
  const refusal = () =>
    checkArgs(op, { "not-there": 1, path: 5, verb: 5, command: 5, snapshot: 5, files: 5 });
  expect(refusal).toThrow(HandrailError);
  expect(refusal).toThrow(/args/);
});
