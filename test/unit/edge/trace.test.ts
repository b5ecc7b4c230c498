import { expect, test } from "vitest";
import { HandrailError, traceOf } from "../../../shared/errors.ts";

function failing(): unknown {
  try {
    return JSON.parse("my password is hunter2");
  } catch (cause) {
    return new HandrailError("internal", "While reading hunter2\ntwo lines", { cause });
  }
}

test("a logged failure names kind and place, causes too, and quotes nothing", () => {
  const trace = traceOf(failing());
  expect(trace).toMatch(/^HandrailError internal\n/);
  expect(trace).toMatch(/caused by SyntaxError\n/);
  expect(trace).toContain("trace.test.ts");
  expect(trace).not.toMatch(/hunter2|password/);
});

test("a thrown value that is not an error is named by its type alone", () => {
  expect(traceOf("hunter2")).toBe("string");
});
