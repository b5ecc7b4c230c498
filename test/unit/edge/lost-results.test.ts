// A turn that ended between its calls and their results must not block the session.
import { expect, test } from "vitest";
import { nothingCarried } from "../../../functions/context/carried.ts";
import { type Insight, openTurn } from "../../../functions/inputs/opening.ts";
import { checkHistory } from "../../../functions/turn/check-request.ts";
import type { Message } from "../../../shared/message.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const left = (name: string): Message[] => [
  { id: "t1.user", role: "user", content: "work", createdAt: 1, mode: "normal" },
  {
    id: "t1.0.a",
    role: "assistant",
    content: "",
    createdAt: 2,
    mode: "normal",
    finish: "tool_calls",
    toolCalls: [
      { id: "c1", name, arguments: "{}" },
      { id: "c2", name: "run_command", arguments: "{}" },
    ],
  },
];

const cancelled = "cancelled: the person said something else instead";

async function resultsAfter(messages: Message[], insight: Insight = {}): Promise<string[]> {
  checkHistory(messages);
  const request = TurnRequest.parse({
    ...{ protocol: 1, turnId: "t2", sandboxId: "s", mode: "normal", messages },
    input: { type: "message", text: "And now?" },
  });
  const { drafts } = await openTurn({
    request,
    model: { provider: "p", id: "m" },
    toolProtocol: "native",
    now: 3,
    scan: [],
    carried: nothingCarried,
    insight,
    meta: { round: 0, maxRounds: 1, contextTokens: 0, budgetTokens: 1 },
  });
  return drafts.flatMap((draft) =>
    draft.event === "message" && draft.data.message.role === "tool" ? [draft.data.message.content] : [],
  );
}

test("calls whose results were lost with their turn are closed by the next one, which says that they may have run", async () => {
  const results = await resultsAfter(left("read_file"));
  expect(results).toHaveLength(2);
  for (const text of results) expect(text).toContain("may have run");
});

test("calls after a question are cancelled by any other message", async () => {
  expect(await resultsAfter(left("ask_user"))).toEqual(Array.from({ length: 2 }, () => cancelled));
});

test("a call that may wait for a permission is cancelled unless the journal says that it may have run", async () => {
  for (const name of ["run_command", "edit_file", "write_file", "update_plan"]) {
    expect(await resultsAfter(left(name))).toEqual([cancelled, cancelled]);
    for (const text of await resultsAfter(left(name), { mayHaveRun: true }))
      expect(text).toContain("may have run");
  }
});
