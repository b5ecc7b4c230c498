// The report about its calls in the ending of a stopped turn, if no runner writes the ending.
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { endStoppedTurn } from "../../../functions/live/stop.ts";
import { createSandboxClient } from "../../../functions/sandbox/client.ts";

const toolCalls = [{ id: "m-1", name: "mcp__small__wait", arguments: "{}" }];
const answer = {
  ...{
    id: "t.1.a",
    role: "assistant",
    content: "",
    mode: "normal",
    createdAt: 1,
    finish: "tool_calls",
    toolCalls,
  },
};
const opened = {
  turnId: "t",
  mode: "normal",
  model: { provider: "p", id: "m" },
  toolProtocol: "native",
  format: 1,
};
const before = [
  { seq: 1, at: 1, type: "claim", epoch: 1 },
  {
    ...{ seq: 2, at: 1, type: "record" },
    events: [
      { id: 1, event: "turn.started", data: opened },
      { id: 2, event: "message", data: { message: answer } },
    ],
  },
];
const started = { seq: 3, at: 1, type: "started", key: "t/1/0", op: "exec", args: {} };
const result = { seq: 4, type: "result", key: "t/1/0", replayed: false, at: 2, ms: 1 };
const stop = { seq: 5, at: 1, type: "stop" };

/** The messages in the ending of a turn whose single call has these lines in the journal. */
async function wordsFor(lines: readonly unknown[]): Promise<string[]> {
  let body = "";
  const fetch: typeof globalThis.fetch = async (_, init) => {
    body = String(init?.body ?? "");
    const said =
      init?.method === "POST" ? [{ type: "recorded", seq: 6 }, { type: "end" }] : [...before, ...lines, stop];
    return new Response(said.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  const sandbox = createSandboxClient({ fetch, baseUrl: "http://sandbox.test", token: "x" });
  await endStoppedTurn({ sandbox, secrets: [] }, "s", "t", 0);
  const { record } = z.parse(Posted, JSON.parse(body)).turn;
  return record.flatMap(({ data }) => (data.message ? [data.message.content] : []));
}

const Posted = z.object({
  turn: z.object({
    record: z.array(z.object({ data: z.object({ message: z.optional(z.object({ content: z.string() })) }) })),
  }),
});

test("a call of a program that had ended is not reported as cut, and may have done something", async () => {
  const value = { exitCode: 0, signal: null, stdout: "{}", stderr: "", timedOut: false, truncated: false };
  const [call, note] = await wordsFor([started, { ...result, ok: true, value }]);
  expect(call).toMatch(/^stopped: it had ended by then.*look before you call it again$/);
  expect(note).toContain("Ended, but the result was not taken: mcp__small__wait.");
  expect(note).not.toContain("Cut while it ran");
});

test("a call that gave way to the person's message is reported as one that never began", async () => {
  const error = { code: "not_run", message: "Not run.", retryable: false };
  const [call, note] = await wordsFor([{ ...result, ok: false, error }]);
  expect(call).toBe("not run: the person stopped the turn before this began");
  expect(note).toContain("Not begun, so nothing was done: mcp__small__wait.");
});

test("one that was running is reported as cut", async () => {
  const [call, note] = await wordsFor([started]);
  expect(call).toContain("stopped while it ran");
  expect(note).toContain("Cut while it ran: mcp__small__wait.");
});
