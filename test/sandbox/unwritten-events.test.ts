// While events are being written to a disk that turns out to be full, memory is ahead of the disk. No client
// may be told of these events.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { claimInJournal } from "../../sandbox/calls/claim-turn.ts";
import { readHistory } from "../../sandbox/journal/read-history.ts";
import { SandboxJournal } from "../../sandbox/journal/sandbox-journal.ts";
import { seenAfter } from "../../shared/seen-hash.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { event } from "./turn-journal.ts";

let journal: SandboxJournal;
/** Called before each write to the disk, which waits until it resolves. */
let beforeWrite: () => Promise<void>;

beforeEach(async () => {
  const dir = join(await freshFolder("state"), "sandbox");
  await mkdir(dir);
  beforeWrite = async () => undefined;
  journal = await SandboxJournal.load(dir, {
    now: () => 1,
    warn: () => undefined,
    mayWrite: () => beforeWrite(),
  });
});
afterAll(removeFolders);

const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });

/**
 * Starts a write to a disk that turns out to be full when `fail` is called. Resolves when the write is in
 * progress.
 */
async function unwritten(write: () => Promise<unknown>): Promise<{ fail(): void; refused: Promise<void> }> {
  let refused = Promise.resolve();
  const fail = await new Promise<() => void>((begun) => {
    beforeWrite = () =>
      new Promise((_, reject) => {
        beforeWrite = async () => undefined;
        begun(() => reject(full));
      });
    refused = expect(write()).rejects.toMatchObject({ code: "disk_full" });
  });
  return { fail, refused };
}

const begin = (turnId: string) =>
  claimInJournal(journal, turnId, { epoch: 1, record: [event(1, "turn.started")] });

test("a device that reads the history meanwhile gets no position that the journal will not have", async () => {
  await begin("t");
  const turn = journal.turn("t");
  const lost = await unwritten(() =>
    journal.write(turn, [{ type: "record", events: [event(2, "message")] }]),
  );
  const read = readHistory(journal, undefined);
  lost.fail();
  const { last, events } = await read;
  await lost.refused;
  expect(events.map(({ id }) => id)).toEqual([1]);
  expect(last).toEqual({ turnId: "t", after: 1, seen: seenAfter("", event(1, "turn.started")) });
  // Later lines are read from that position on.
  await journal.write(turn, [{ type: "record", events: [event(2, "other")] }]);
  expect((await readHistory(journal, last)).events).toMatchObject([{ id: 2, event: "other" }]);
});

test("a device that continues from the newest turn is not refused because a turn could not be started", async () => {
  await begin("t");
  await journal.write(journal.turn("t"), [{ type: "record", events: [event(2, "turn.done")] }]);
  const lost = await unwritten(() => begin("never"));
  const next = claimInJournal(journal, "next", { epoch: 1, stored: { turnId: "t", after: 2, newest: true } });
  lost.fail();
  await lost.refused;
  expect((await next).records).toEqual([]);
});
