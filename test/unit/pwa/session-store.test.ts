import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionRecord } from "../../../pwa/storage/session-record.ts";
import { listRecords } from "../../../pwa/storage/session-record.ts";
import {
  deleteSession,
  loadEarlier,
  loadForTurn,
  loadSession,
  segmentSize,
  sessionPuts,
  withoutEarlier,
} from "../../../pwa/storage/session-store.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import { historyForTurn, messagesOf } from "../../../shared/session/history.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { dropLive, emptySession, noLive, type SessionState } from "../../../shared/session/session-state.ts";
import { planningTurn, started, user, workingTurn } from "../session/events.ts";
import { memoryKv } from "./memory-kv.ts";

const record: SessionRecord = {
  id: "s1",
  title: "T",
  sandboxId: "sb",
  workspace: "w",
  createdAt: 1,
  updatedAt: 1,
  summary: { text: "", mark: "hollow" },
  demo: false,
};

/** A session of many turns with two entries each. */
function longSession(turns: number): TurnEvent[] {
  return Array.from({ length: turns }, (_, at) => [
    { ...started(`t${at}`), id: 1 } as TurnEvent,
    { ...user(`u${at}`, `message ${at}`), id: 2 } as TurnEvent,
  ]).flat();
}

test("what is read equals what was written, however the writes were batched", async () => {
  const events = [...longSession(70), ...planningTurn, ...workingTurn];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 6 }),
      async (batches) => {
        const kv = memoryKv();
        let state: SessionState = emptySession();
        let saved = 0;
        let at = 0;
        for (const size of [...batches, events.length]) {
          state = events.slice(at, at + size).reduce(reduce, state);
          at += size;
          await kv.write(sessionPuts(record, state, saved));
          saved = state.head.entryCount;
        }
        const loaded = await loadSession(kv, "s1");
        expect(loaded?.state).toEqual({ ...dropLive(state), live: noLive });
      },
    ),
    { numRuns: 25 },
  );
});

test("a long session opens with its last segments, and loads the earlier ones on request", async () => {
  const kv = memoryKv();
  const state = longSession(200).reduce(reduce, emptySession());
  await kv.write(sessionPuts(record, state, 0));
  const loaded = await loadSession(kv, "s1");
  expect(loaded?.state.entries.length).toBeLessThanOrEqual(3 * segmentSize);
  const earlier = loaded === undefined ? [] : await loadEarlier(kv, "s1", loaded.state);
  expect([...earlier, ...(loaded?.state.entries ?? [])]).toEqual(state.entries);
});

test("a turn's request reads no more than what it posts, and equals what the whole history would give", async () => {
  const kv = memoryKv();
  const marker = {
    ...user("m", "digest"),
    data: {
      message: {
        id: "marker",
        role: "event",
        content: "digest",
        createdAt: 1,
        mode: "normal",
        extra: { event: { subkind: "summarization_marker", source: "long_history", data: {} } },
      },
    },
  };
  const events = [
    ...planningTurn,
    ...longSession(2_000),
    { ...started("m"), id: 1 } as TurnEvent,
    { ...marker, id: 2 } as TurnEvent,
    ...longSession(150).map(
      (event) => JSON.parse(JSON.stringify(event).replaceAll('"t', '"later-t')) as TurnEvent,
    ),
  ];
  const state = events.reduce(reduce, emptySession());
  await kv.write(sessionPuts(record, state, 0));
  const held = withoutEarlier(state);
  expect(held.entries.length).toBeLessThanOrEqual(3 * segmentSize);
  let read = 0;
  const counting = {
    ...kv,
    getMany: (keys: readonly string[]) => {
      read += keys.length;
      return kv.getMany(keys);
    },
  };
  const turn = { historyCount: state.head.entryCount, posted: state.head.posted };
  const entries = await loadForTurn(counting, "s1", held, turn);
  expect(historyForTurn(messagesOf(entries))).toEqual(historyForTurn(messagesOf(state.entries)));
  expect(read).toBeLessThan(6);
  const all = await loadForTurn(kv, "s1", held, { ...turn, posted: null });
  expect(all).toEqual(state.entries);
  await kv.write(
    sessionPuts(
      record,
      [{ ...user("z", "more"), id: 3 } as TurnEvent].reduce(reduce, held),
      state.head.entryCount,
    ),
  );
  expect((await loadForTurn(kv, "s1", held, { ...turn, posted: null })).slice(0, 500)).toEqual(
    state.entries.slice(0, 500),
  );
});

test("one more event rewrites one segment", () => {
  const state = longSession(200).reduce(reduce, emptySession());
  const keys = sessionPuts(record, state, state.head.entryCount - 1).map(([key]) => key);
  expect(keys).toEqual(["session/s1", "head/s1", "segment/s1/000006"]);
});

test("an unreadable entry is set aside and leaves the positions of the others", async () => {
  const kv = memoryKv();
  const state = longSession(10).reduce(reduce, emptySession());
  await kv.write(sessionPuts(record, state, 0));
  const segment = kv.map.get("segment/s1/000000");
  if (Array.isArray(segment)) segment[3] = { nonsense: true };
  const loaded = await loadSession(kv, "s1");
  expect(loaded?.unreadable).toBe(1);
  expect(loaded?.state.entries).toHaveLength(20);
  expect(loaded?.state.entries[4]).toEqual(state.entries[4]);
  expect(kv.map.has("quarantine/segment/s1/000000")).toBe(true);
});

test("unreadable entries are one quiet row in their place, not a break in the history, with or without the head", async () => {
  for (const headIsLost of [false, true]) {
    const kv = memoryKv();
    const state = longSession(10).reduce(reduce, emptySession());
    await kv.write(sessionPuts(record, state, 0));
    const segment = kv.map.get("segment/s1/000000");
    if (Array.isArray(segment)) segment.fill({ nonsense: true }, 3, 9);
    if (headIsLost) kv.map.set("head/s1", { mode: "no such mode" });
    const loaded = await loadSession(kv, "s1");
    const rows = transcriptRows(loaded?.state.entries ?? [], null);
    const text = "This part could not be read from storage";
    expect(rows.map((row) => (row.kind === "note" ? [row.text, row.tone] : row.kind))).toEqual([
      "user",
      [text, "quiet"],
      ...Array.from({ length: 6 }, () => "user"),
    ]);
    expect(loaded?.state.head.turn?.status).not.toBe("failed");
  }
});

test("a lost head is rebuilt from the entries", async () => {
  const kv = memoryKv();
  const state = longSession(5).reduce(reduce, emptySession());
  await kv.write(sessionPuts(record, state, 0));
  kv.map.set("head/s1", { mode: "no such mode" });
  const loaded = await loadSession(kv, "s1");
  expect(loaded?.state.head).toEqual(state.head);
});

test("a deleted session leaves nothing behind", async () => {
  const kv = memoryKv();
  await kv.write(sessionPuts(record, longSession(100).reduce(reduce, emptySession()), 0));
  await deleteSession(kv, "s1");
  expect([...kv.map.keys()]).toEqual([]);
});

test("a deleted session's remaining work on the server is recorded in the same write that deletes its record", async () => {
  const kv = memoryKv();
  await kv.write(sessionPuts(record, longSession(100).reduce(reduce, emptySession()), 0));
  const before = kv.writes;
  await deleteSession(kv, "s1", [["leftover/sb1", true]]);
  expect([kv.writes - before, [...kv.map.keys()]]).toEqual([1, ["leftover/sb1"]]);
});

test("the list is by last change, without unreadable records", async () => {
  const kv = memoryKv();
  await kv.write([
    ["session/a", { ...record, id: "a", updatedAt: 1 }],
    ["session/b", { ...record, id: "b", updatedAt: 2 }],
    ["session/c", { id: "c" }],
  ]);
  expect((await listRecords(kv)).map(({ id }) => id)).toEqual(["b", "a"]);
});
