import { expect, test } from "vitest";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, started } from "./events.ts";

test("once the model is asked again, its last answer and the calls in it are over, even before their messages arrive", () => {
  const call = { toolCallId: "c1", name: "ask_user", arguments: "{}" };
  const asked = numbered([
    started("t1"),
    { event: "text.delta", data: { messageId: "a1", delta: "One thing." } },
    { event: "tool.call", data: call },
    { event: "model.wait", data: { at: 2 } },
  ]).reduce(reduce, emptySession());
  expect(asked.live).toMatchObject({
    ...{ partial: { text: "One thing.", whole: true }, calls: [], wait: { at: 2 } },
  });
  const next = reduce(asked, { event: "text.delta", data: { messageId: "a2", delta: "New" } });
  expect(next.live.partial).toEqual({ messageId: "a2", text: "New", reasoning: "", whole: false });
});
