// How a stopped turn ends when its runner does not write the ending.
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { endStoppedTurn } from "../../../functions/live/stop.ts";
import { createSandboxClient } from "../../../functions/sandbox/client.ts";

const claim = { seq: 1, at: 1, type: "claim", epoch: 1 };
const started = {
  id: 1,
  event: "turn.started",
  data: { turnId: "t", mode: "normal", model: { provider: "p", id: "m" }, toolProtocol: "native", format: 1 },
};
const opening = { seq: 2, at: 1, type: "record", events: [started] };
const begun = { seq: 3, at: 1, type: "started", key: "t/0/rewind", op: "restore", args: { snapshot: "s" } };
const stop = { seq: 4, at: 1, type: "stop" };
const back = {
  seq: 5,
  type: "result",
  key: "t/0/rewind",
  ok: true,
  value: {},
  replayed: false,
  at: 2,
  ms: 1,
};

/** The methods of the requests that are sent to end a turn with this journal. */
async function requestsOf(lines: readonly unknown[]): Promise<string[]> {
  return (await sentFor(lines)).map(({ method }) => method);
}

async function sentFor(lines: readonly unknown[]): Promise<{ method: string; body: string }[]> {
  const requests: { method: string; body: string }[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const method = init?.method ?? "GET";
    requests.push({ method, body: String(init?.body ?? "") });
    const answer = method === "GET" ? lines : [{ type: "recorded", seq: 6 }, { type: "end" }];
    return new Response(answer.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  const sandbox = createSandboxClient({ fetch, baseUrl: "http://sandbox.test", token: "x" });
  await endStoppedTurn({ sandbox, secrets: [] }, "s", "t", 0);
  return requests;
}

test("no ending is written while a rewind restores the files", async () => {
  expect(await requestsOf([claim, opening, begun, stop])).toEqual(["GET"]);
});

test("nor while a rollback does", async () => {
  const key = "t/1/0/restore";
  expect(await requestsOf([claim, opening, { ...begun, key }, stop])).toEqual(["GET"]);
  expect(await requestsOf([claim, opening, { ...begun, key }, stop, { ...back, key }])).toEqual([
    "GET",
    "POST",
  ]);
});

test("once they are restored, or where nothing had started, it is", async () => {
  expect(await requestsOf([claim, opening, begun, stop, back])).toEqual(["GET", "POST"]);
  expect(await requestsOf([claim, opening, stop])).toEqual(["GET", "POST"]);
});

test("answers have their ledger before the end, once", async () => {
  const answered = {
    ...claim,
    context: {
      ...{ planRounds: 9, runRounds: 9, contextWindow: 9_000 },
      ledger: { decisions: [{ id: "colour", label: "Colour", answer: "red" }], before: null },
    },
  };
  const shown = { event: "ledger", data: { decisions: [], updates: [], text: "shown" } };
  const endOf = async (...recorded: unknown[]) => {
    const [, post] = await sentFor([answered, opening, ...recorded, stop]);
    return z.parse(Posted, JSON.parse(post?.body ?? "{}")).turn.record.map(({ event, data }) => ({
      event,
      text: data.text,
    }));
  };
  const note = { event: "message", text: undefined };
  const end = { event: "turn.done", text: undefined };
  expect(await endOf()).toEqual([
    note,
    { event: "ledger", text: expect.stringContaining("Colour: red") },
    end,
  ]);
  const record = { seq: 3, at: 1, type: "record", events: [{ id: 2, ...shown }] };
  expect(await endOf(record)).toEqual([note, end]);
});

const Posted = z.object({
  turn: z.object({
    record: z.array(z.object({ event: z.string(), data: z.object({ text: z.optional(z.string()) }) })),
  }),
});
