import { expect, test } from "vitest";
import { KeptSession } from "../../../pwa/session/kept-session.ts";
import { isSameState, loadSession, sessionPuts } from "../../../pwa/storage/session-store.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession, withMode } from "../../../shared/session/session-state.ts";
import { planningTurn, workingTurn } from "../session/events.ts";
import { memoryKv } from "./memory-kv.ts";

const record = {
  id: "s1",
  title: "T",
  sandboxId: "sb",
  workspace: "w",
  createdAt: 1,
  updatedAt: 1,
  summary: { text: "", mark: "hollow" as const },
  demo: false,
};
const worked = [...planningTurn, ...workingTurn].reduce(reduce, emptySession());
const token: TurnEvent = { event: "text.delta", data: { messageId: "m", delta: "word " } };

test("streaming tokens do not change settled rows: only the row that shows them is drawn again", () => {
  const nothing = () => undefined;
  const deps = { kv: memoryKv(), now: () => 1, newId: () => "id", onRecord: nothing, onSaved: nothing };
  const session = new KeptSession(deps, record, worked);
  const before = session.settled.value;
  session.state.value = [token, token].reduce(reduce, session.state.value);
  expect(session.state.value.live.partial?.text).toBe("word word ");
  expect(session.settled.value).toBe(before);
  expect(session.settled.value.live.partial).toBeNull();

  session.state.value = withMode(session.state.value, "auto");
  expect(session.settled.value.head.mode).toBe("auto");
});

test("reading storage twice gives the same state, until something happened or was chosen", async () => {
  const kv = memoryKv();
  await kv.write(sessionPuts(record, worked, 0));
  const [loaded, again] = [await loadSession(kv, "s1"), await loadSession(kv, "s1")];
  if (loaded === undefined || again === undefined) throw new Error("It was stored.");
  expect(isSameState(loaded.state, again.state)).toBe(true);
  expect(isSameState(loaded.state, reduce(again.state, token))).toBe(true);
  expect(isSameState(loaded.state, withMode(again.state, "auto"))).toBe(false);
  const earlier = [...planningTurn, ...workingTurn].slice(0, -1).reduce(reduce, emptySession());
  expect(isSameState(loaded.state, earlier)).toBe(false);
});
