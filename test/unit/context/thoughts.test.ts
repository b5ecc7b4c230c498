import { expect, test } from "vitest";
import { fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import { estimatePrompt } from "../../../functions/context/estimate.ts";
import { withOwnThoughts } from "../../../functions/context/thoughts.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { model } from "./room.ts";

/** Two turns: one that reads a file and answers, one that only answers. Each answer has reasoning of `chars`. */
function thinking(chars: number, from = model): HistoryBuilder {
  const builder = new HistoryBuilder().user("one").read("a.ts", 100).say("read").user("two").say("no need");
  for (const message of builder.messages) {
    if (message.role !== "assistant") continue;
    message.reasoning = "r".repeat(chars);
    message.thought = { model: from, field: "reasoning_content" };
  }
  return builder;
}

const sent = ({ messages }: HistoryBuilder) =>
  fitPrompt(withOwnThoughts(messages, model), "system", 8_000).prompt;
const thoughts = (builder: HistoryBuilder) =>
  sent(builder).flatMap((message) => (message.role === "assistant" ? [message.thought?.text.length] : []));

test("the answers of a turn that called tools keep their reasoning, for the model that wrote it", () => {
  expect(thoughts(thinking(70))).toEqual([70, 70, undefined]);
  expect(thoughts(thinking(70, "p/another"))).toEqual([undefined, undefined, undefined]);
});

test("reasoning that is sent back counts", () => {
  expect(estimatePrompt(sent(thinking(3_500))) - estimatePrompt(sent(thinking(0)))).toBe(2 * 1_000);
});

test("where space is short, old reasoning is cut before anything of the last exchange", () => {
  const builder = thinking(9_000);
  const first = builder.messages.find(({ role }) => role === "assistant");
  if (first?.role === "assistant") first.reasoning = "r".repeat(20_000);
  const { prompt, tokens } = fitPrompt(withOwnThoughts(builder.messages, model), "system", 8_000);
  expect(tokens).toBeLessThanOrEqual(8_000);
  expect(prompt.at(-1)?.content).toBe("no need");
  expect(prompt.find(({ role }) => role === "tool")).toBeDefined();
});
