// Text that a person types without a pause is stored within a second, because a browser that is killed gives
// no notice.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeptSession } from "../../../pwa/session/kept-session.ts";
import { readDraft } from "../../../pwa/storage/draft.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { memoryKv } from "./memory-kv.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a draft is stored at least once a second while somebody types without a pause, and not with every key", async () => {
  const kv = memoryKv();
  const summary = { text: "", mark: "hollow" as const };
  const record = {
    ...{ id: "s1", title: "T", sandboxId: "sb", workspace: "w", createdAt: 1, updatedAt: 1 },
    ...{ summary, demo: false },
  };
  const deps = { kv, now: () => 0, newId: () => "x", onRecord: () => undefined, onSaved: () => undefined };
  const session = new KeptSession(deps, record, emptySession());
  let text = "";
  for (let key = 1; key <= 200; key++) {
    text += "a";
    session.setDraft({ text });
    await vi.advanceTimersByTimeAsync(60);
    const { text: stored } = await readDraft(kv, "s1");
    const lostKeys = text.length - stored.length;
    expect(lostKeys * 60).toBeLessThan(1_000);
  }
  expect(kv.writes).toBeLessThan(60);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await readDraft(kv, "s1")).text).toBe(text);
});
