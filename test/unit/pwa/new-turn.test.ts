import { expect, test } from "vitest";
import { newTurn } from "../../../pwa/session/new-turn.ts";
import { emptyDraft } from "../../../pwa/storage/draft.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, started } from "../session/events.ts";

const before = numbered([started("t1", "normal", { toolProtocol: "text" })]).reduce(reduce, emptySession());

function remembered(serves: { provider: string; id: string } | null) {
  const input = { type: "message" as const, text: "go on" };
  return newTurn("t2", input, before, emptyDraft, { serves }).toolProtocol;
}

test("what was learned about a model is sent with a turn that the same model answers", () => {
  expect(remembered({ provider: "default", id: "m" })).toBe("text");
  expect(remembered(null)).toBe("text");
});

test("what was learned about a model is not sent once the server has another one", () => {
  expect(remembered({ provider: "default", id: "new" })).toBeNull();
  expect(remembered({ provider: "other", id: "m" })).toBeNull();
});
