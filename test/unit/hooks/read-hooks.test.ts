// The hooks that are read from a project's file, and the permission for them.
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { allowHooks } from "../../../functions/hooks/allow-hooks.ts";
import { areAllowed, hooksIn } from "../../../functions/hooks/read-hooks.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const inFile = (hooks: unknown) =>
  hooksIn(JSON.stringify({ hooks })).catch((error: unknown) => String(error));

test("a command has one minute by default", async () => {
  expect(await inFile({ afterTurn: ["npm test", { command: "true", timeoutMs: 5 }] })).toMatchObject({
    hooks: [
      { when: "afterTurn", command: "npm test", timeoutMs: 60_000 },
      { when: "afterTurn", command: "true", timeoutMs: 5 },
    ],
  });
});

test.each([
  ["more of them than a person reads", { afterTurn: Array(21).fill("true") }, "at most 20 commands"],
  ["a blank command", { afterTurn: [" "] }, "write a list of commands"],
  ["a command of more than 4,000 characters", { afterTurn: ["x".repeat(4_001)] }, "write a list of commands"],
  ["more than ten minutes", { afterTurn: [{ command: "true", timeoutMs: 600_001 }] }, "at most 600000 ms"],
  ["a setting that is not known", { afterTurn: [{ command: "true", cwd: "/" }] }, "write a list of commands"],
  ["a time that is not known", { sometimes: ["true"] }, "is none of beforeTurn"],
  ["no list", { afterTurn: "true" }, "write a list of commands"],
  ["a long file", { afterTurn: ["true"], more: "x".repeat(64_000) }, "longer than 64,000 characters"],
])("a file with %s has no hooks, and the reason is reported", async (_, hooks, why) => {
  expect(await inFile(hooks)).toContain(why);
});

test("a permission covers exactly these hooks, and only if it is one for hooks", () => {
  const hooks = { hash: "a".repeat(64), hooks: [] };
  const grant = { risk: "hooks", program: "hooks", subcommand: hooks.hash };
  expect(areAllowed(hooks, [grant])).toBe(true);
  expect(areAllowed(hooks, [{ ...grant, subcommand: "b".repeat(64) }])).toBe(false);
  expect(areAllowed(hooks, [{ ...grant, risk: "mcp" }])).toBe(false);
  expect(areAllowed(hooks, [])).toBe(false);
});

test("hooks that differ from those the person saw are not allowed", async () => {
  const request = z.parse(TurnRequest, {
    ...{ protocol: 1, turnId: "t", sandboxId: "s", mode: "normal", messages: [], plan: null },
    input: { type: "hooks", hash: "a".repeat(64) },
  });
  const hooks = await hooksIn('{"hooks":{"afterTurn":["true"]}}');
  expect(() => allowHooks(request, "a".repeat(64), hooks, 1)).toThrow(
    "not the hooks that the project has now",
  );
  expect(() => allowHooks(request, "a".repeat(64), undefined, 1)).toThrow();
  expect(allowHooks(request, hooks?.hash ?? "", hooks, 1).resolves).toBe("call:t.hooks");
});
