// Reasoning whose pieces repeat earlier ones, as MiniMax sends it, and reasoning that only looks like it.
import { expect, test } from "vitest";
import { completeWith, endOf } from "./complete-with.ts";

const detail = (text: string, more = {}) => ({ type: "reasoning.text", index: 0, text, ...more });

const thought = async (pieces: string[], more = {}) => {
  const { events } = await completeWith([
    { details: pieces.map((text) => detail(text)), text: "Yes.", ...more },
  ]);
  const { text, reasoning, thought: kept } = endOf(events);
  expect(text).toBe("Yes.");
  expect(kept?.details).toEqual([detail(reasoning)]);
  const deltas = events.flatMap((event) => (event.type === "reasoning" ? [event.delta] : []));
  expect(deltas.join("")).toBe(reasoning);
  return reasoning;
};

test.each([
  [["The", "The user", "The user asks.", "The user asks."], "The user asks."],
  [["The user", "The user asks."], "The user asks."],
  [["The user", " asks", " me."], "The user asks me."],
  [["a", "and", " so on"], "aand so on"],
  [["ha", "ha", "ha"], "hahaha"],
  [["A", "As"], "AAs"],
])("%j is %s", async (pieces, expected) => {
  expect(await thought(pieces)).toBe(expected);
});

test("text that is both in a field and in tags is shown once", async () => {
  const reasoning = "I think.";
  const { events } = await completeWith([{ reasoning, text: `<think>${reasoning}</think>Yes.` }]);
  expect(endOf(events)).toMatchObject({ reasoning, text: "Yes." });
  const empty = { choices: [{ index: 0, delta: { reasoning_content: "" } }] };
  const tagged = {
    choices: [{ index: 0, delta: { content: "<think>Hm.</think>Yes." }, finish_reason: "stop" }],
  };
  const { events: tags } = await completeWith([{ chunks: [empty, tagged] }]);
  expect(endOf(tags)).toMatchObject({ reasoning: "Hm.", text: "Yes." });
});
