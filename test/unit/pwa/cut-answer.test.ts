// The cases in which a partly shown answer is reported as discarded.
import { expect, test } from "vitest";
import { afterEvent, type Begun, withCut } from "../../../pwa/session/cut-answer.ts";
import { CutNotes } from "../../../pwa/transcript/notes.ts";
import type { DurableDraft, TurnEvent } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { dropLive, emptySession, type SessionState } from "../../../shared/session/session-state.ts";
import { assistant, started, user } from "../session/events.ts";

const text = (messageId: string, delta: string): TurnEvent => ({
  event: "text.delta",
  data: { messageId, delta },
});
const lost = "lost" as const;
const ends: DurableDraft = { event: "turn.done", data: { reason: "stop", rounds: 1 } };

/**
 * Folds the events as a followed session does; `lost`: the connection broke. Durable events get the next id.
 */
function heard(events: readonly (DurableDraft | TurnEvent | typeof lost)[]): SessionState {
  let begun: readonly Begun[] = [];
  let id = 0;
  return events.reduce<SessionState>((state, step) => {
    if (step === lost) {
      begun = afterEvent(state, begun, text("another.round.x", "")).begun;
      return dropLive(state);
    }
    const ephemeral = step.event === "text.delta" || step.event === "reasoning.delta";
    const event = (ephemeral ? step : { ...step, id: ++id }) as TurnEvent;
    const after = afterEvent(state, begun, event);
    begun = after.begun;
    return reduce(after.cut === undefined ? state : withCut(state, after.cut), event);
  }, emptySession());
}

test("nothing was cut where the message of a refused round comes after pieces of the next answer", () => {
  const state = heard([
    started("t"),
    text("t.0.a", "One."),
    text("t.1.b", "Tw"),
    user("u", "Go"),
    assistant("t.0.a", "One."),
    text("t.1.b", "o."),
  ]);
  expect(state.head.cuts).toEqual([]);
  // The beginning of the next answer stays on the screen too.
  expect(state.live.partial?.text).toBe("Two.");
});

test("an answer whose round was sampled again is marked right before its replacement", () => {
  const events = [started("t"), user("u", "Go"), text("t.0.a", "One sen"), lost, text("t.0.b", "Another")];
  const { head, entries } = heard([...events, assistant("t.0.b", "Another one.")]);
  expect(head.cuts).toEqual([{ turnId: "t", after: 2, again: true }]);
  const notes = new CutNotes(head.cuts);
  expect(entries.map((entry) => notes.before(entry).length)).toEqual([0, 0, 1]);
});

test("an answer that arrived whole after a loss is not marked", () => {
  const events = [started("t"), text("t.0.a", "One sen"), lost, text("t.0.a", "One sentence"), lost];
  expect(heard([...events, assistant("t.0.a", "One sentence."), ends]).head.cuts).toEqual([]);
});

test("text that is sent again as reasoning was not thrown away", () => {
  const told: TurnEvent = { event: "reasoning.delta", data: { messageId: "t.0.b", delta: "I think" } };
  const said = assistant("t.0.b", "I think, therefore.");
  expect(heard([started("t"), text("t.0.a", "I think"), told, said, ends]).head.cuts).toEqual([]);
});

test("a turn that ends without the answer says so, and that the model was not asked again", () => {
  expect(heard([started("t"), text("t.0.a", "One sen"), lost, ends]).head.cuts).toEqual([
    { turnId: "t", after: 1, again: false },
  ]);
});
