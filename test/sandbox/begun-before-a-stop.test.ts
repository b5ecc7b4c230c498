// A turn is stopped while one of its calls runs, and is claimed again before that call has a result.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { claimInJournal } from "../../sandbox/calls/claim-turn.ts";
import { CallRun } from "../../sandbox/journal/call-entry.ts";
import { SandboxJournal } from "../../sandbox/journal/sandbox-journal.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { event } from "./turn-journal.ts";

afterAll(removeFolders);

test("whoever ends a stopped turn is told that the call had begun, until its result is there", async () => {
  const dir = join(await freshFolder("state"), "sandbox");
  await mkdir(dir);
  const journal = await SandboxJournal.load(dir, { now: () => 1, warn: () => undefined });
  await claimInJournal(journal, "t", { epoch: 1, record: [event(1, "turn.started")] });
  const turn = journal.turn("t");
  const entry = journal.reserve(
    { key: "t/0/0", op: "exec", argsHash: "a", harmless: false },
    turn,
    "sleep 9",
  );
  await journal.started(entry, new CallRun("sleep 9"), { command: "sleep 9" });
  expect((await claimInJournal(journal, "t", { epoch: 2 })).begun).toBeUndefined();
  await journal.write(turn, [{ type: "stop" }]);
  expect(await claimInJournal(journal, "t", { epoch: 3 })).toMatchObject({ begun: ["t/0/0"], results: [] });
  await journal.ended(entry, { ok: true, value: {}, ms: 1 });
  const { begun, results } = await claimInJournal(journal, "t", { epoch: 4 });
  expect([begun, results.map(({ key }) => key)]).toEqual([undefined, ["t/0/0"]]);
});
