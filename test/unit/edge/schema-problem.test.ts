import { expect, test } from "vitest";
import * as z from "zod/mini";
import { describeProblem } from "../../../shared/schema-problem.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const good = {
  protocol: 1,
  turnId: "t",
  sandboxId: "s",
  mode: "normal",
  input: { type: "message", text: "hello" },
};

test.each([
  [{ ...good, extra: 1 }, 'body: unknown field "extra"; leave it out.'],
  [{ ...good, mode: "fast" }, "body.mode: must be"],
  [{ ...good, input: { type: "message", text: " " } }, "body.input.text: must not be blank."],
  [{ ...good, input: { type: "shout" } }, 'body.input.type: must be "message" or'],
  [
    { ...good, input: { type: "message", text: "a", txet: 1 } },
    'body.input: unknown field "txet"; leave it out.',
  ],
  [{ ...good, attempt: 0 }, "body.attempt: must be more than 0."],
  [{ ...good, turnId: "a/b" }, "body.turnId: 1 to 100 of A-Z a-z 0-9 _ -."],
  [{ ...good, options: { maxRounds: 51 } }, "body.options.maxRounds: must be at most 50."],
  [{ ...good, messages: [7] }, "body.messages[0]"],
  [{ ...good, sandboxId: undefined }, "body.sandboxId: missing; must be a string."],
  [{ ...good, input: {} }, "body.input.type: missing; must be"],
  ["text", "body: must be an object."],
])("%j is reported as %j", (body, expected) => {
  const parsed = z.safeParse(TurnRequest, body);
  expect(parsed.error && describeProblem(parsed.error, "body", body)).toContain(expected);
});
