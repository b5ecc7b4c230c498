// The lock of each op: ops that write have the folder alone, and ops that read are not disturbed by writers.
import { expect, test } from "vitest";
import { lockOf, mutates } from "../../sandbox/ops/run-op.ts";
import type { OpName } from "../../shared/sandbox.ts";

test.each<[OpName, Record<string, unknown>, string]>([
  ["read", {}, "read"],
  ["list", {}, "read"],
  ["search", {}, "read"],
  ["look", {}, "read"],
  ["background", {}, "read"],
  ["change", {}, "change"],
  ["restore", {}, "change"],
  ["commit", {}, "change"],
  ["git", { verb: "log" }, "read"],
  ["git", { verb: "status" }, "read"],
  ["git", { verb: "diff" }, "read"],
  ["git", { verb: "show" }, "read"],
  ["git", { verb: "branch" }, "read"],
  ["git", { verb: "add" }, "change"],
  ["git", { verb: "commit" }, "change"],
  ["snapshot", {}, "run"],
])("%s %j holds the folder to %s", (op, args, lock) => {
  expect(lockOf(op, args, "write")).toBe(lock);
  expect(mutates(op, args)).toBe(lock === "change");
});

test("a command that may write runs alone; one that may not, or works on a copy, reads", () => {
  expect(lockOf("exec", {}, "write")).toBe("run");
  expect(lockOf("exec", {}, "readonly")).toBe("read");
  expect(lockOf("exec", { tree: "0".repeat(40) }, "write")).toBe("read");
});
