// Events recorded while journals are compacted are on the disk afterwards or were refused. None is dropped
// silently.
import { setImmediate as tick } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { SandboxJournal } from "../../sandbox/journal/sandbox-journal.ts";
import * as limits from "../../sandbox/limits.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const day = 86_400_000;
const message = { id: "m", role: "tool", content: "long ".repeat(2_000) };
const ended = [
  { id: 1, event: "message", data: { message } },
  { id: 2, event: "turn.done", data: { reason: "stop", rounds: 1 } },
];

/** A journal in which only the turn `old` may be compacted. */
async function journalIn(dir: string): Promise<SandboxJournal> {
  const journal = await SandboxJournal.load(dir, { now: () => 1, warn: () => undefined });
  await journal.write(journal.turn("old"), [
    { type: "claim", epoch: 1, client: "phone", after: 2 },
    { type: "record", events: ended },
  ]);
  for (let n = 0; n < limits.wholeTurns; n += 1)
    await journal.write(journal.turn(`later-${n}`), [{ type: "claim", epoch: 1, client: "phone" }]);
  return journal;
}

const typesIn = async (journal: SandboxJournal) => {
  const types: string[] = [];
  for await (const { type } of journal.turn("old").file.lines()) types.push(type);
  return types;
};

test("what a turn receives while it is compacted is kept, whenever it arrives", {
  tags: "long",
}, async () => {
  for (let ticks = 0; ticks < 24; ticks += 1) {
    const dir = await freshFolder("journal");
    const journal = await journalIn(dir);
    const small = journal.compactOld();
    for (let n = 0; n < ticks; n += 1) await tick();
    const line = { type: "revoked", grant: "old" };
    const took = await journal.write(journal.turn("old"), [line]).then(
      () => true,
      () => false,
    );
    await small;
    const after = await SandboxJournal.load(dir, { now: () => 1, warn: () => undefined });
    for (const read of [journal, after])
      expect([ticks, (await typesIn(read)).includes("revoked")]).toEqual([ticks, took]);
  }
});

test("a call that runs for days keeps its key and its result", async () => {
  const dir = await freshFolder("journal");
  let now = day;
  const context = { now: () => now, warn: () => undefined };
  const journal = await SandboxJournal.load(dir, context);
  const call = (key: string) => {
    const entry = journal.reserve({ key, op: "exec", argsHash: "", harmless: false }, undefined, "make");
    if (entry.state.at !== "reserved") throw new Error("not reserved");
    return { entry, run: entry.state.run };
  };
  const long = call("long");
  await journal.started(long.entry, long.run, { command: "make" });
  for (let n = 0; n <= limits.wholeDays; n += 1) {
    now += day;
    const { entry, run } = call(`day-${n}`);
    await journal.started(entry, run, {});
    await journal.ended(entry, { ok: true, ms: 1 });
  }
  await journal.compactOld();
  expect(journal.calls.get("long")).toBe(long.entry);
  await journal.ended(long.entry, { ok: true, value: { exitCode: 0 }, ms: 1 });
  const after = (await SandboxJournal.load(dir, context)).calls.get("long");
  if (after?.state.at !== "done") throw new Error("it has no result");
  expect(await journal.resultOf(after, after.state.seq)).toMatchObject({ ok: true, value: { exitCode: 0 } });
});
