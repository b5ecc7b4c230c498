// What the claim of a turn is refused for, and what of it counts, for a journal without a server.
import { afterAll, beforeEach, expect, test } from "vitest";
import { claimInJournal, steerTurn, stopInJournal } from "../../sandbox/calls/claim-turn.ts";
import { SandboxJournal } from "../../sandbox/journal/sandbox-journal.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import type { ClaimRequest } from "../../shared/journal.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { event } from "./turn-journal.ts";

let journal: SandboxJournal;
let turns = 0;
beforeEach(async () => {
  journal = await SandboxJournal.load(await freshFolder("journal"), { now: () => 1, warn: () => undefined });
});
afterAll(removeFolders);

const newTurn = () => `turn-${++turns}`;
const claim = (turnId: string, request: Partial<ClaimRequest>) =>
  claimInJournal(journal, turnId, { epoch: 1, ...request });
const finished = (...events: JournalEvent[]): JournalEvent[] => [
  ...events,
  event(events.length + 1, "turn.done", { reason: "stop", rounds: 1 }),
];
/** The code and details of the refusal. */
const refused = async (claimed: Promise<unknown>): Promise<unknown> =>
  claimed.then(
    () => "accepted",
    (error: unknown) => (error instanceof HandrailError ? [error.code, error.details?.turnId] : error),
  );

const callOf = (toolCallId: string, path = "old") => ({
  toolCallId,
  name: "run_command",
  arguments: JSON.stringify({ command: `rm -rf ${path}` }),
});
const once = (toolCallId: string, path?: string) =>
  ({ ...callOf(toolCallId, path), decision: "once" }) as const;
/** A turn that has ended with two calls about which the person is asked. */
const asking = () =>
  claim(newTurn(), {
    record: finished(
      event(1, "permission", { ...callOf("c1"), risk: "destructive", program: "rm", subcommand: "" }),
      event(2, "permission", { ...callOf("c2"), risk: "destructive", program: "rm", subcommand: "" }),
    ),
  });

test("a permit is for the call that the turn resolves, with the arguments that were asked about", async () => {
  await asking();
  const permits = (toolCallId: string, path?: string) =>
    refused(claim(newTurn(), { resolves: "call:c1", permits: once(toolCallId, path) }));
  expect(await permits("c1", "src")).toMatchObject(["stale_plan", undefined]);
  expect(await permits("c2")).toMatchObject(["invalid_request", undefined]);
  expect(await permits("c1")).toBe("accepted");
});

test("a decision on a further call is compared like the first, and no other turn decides on it then", async () => {
  await asking();
  const decides = (path?: string) => ({
    resolves: "call:c1",
    permits: once("c1"),
    alsoPermits: [once("c2", path)],
  });
  expect(await refused(claim(newTurn(), decides("src")))).toMatchObject(["stale_plan", undefined]);
  const [first, second] = [newTurn(), newTurn()];
  await claim(first, decides());
  expect(await refused(claim(second, { resolves: "call:c2" }))).toEqual(["stale_plan", first]);
});

test("a further call that another turn has answered is not decided on", async () => {
  await asking();
  const first = newTurn();
  await claim(first, { resolves: "call:c2" });
  const both = { resolves: "call:c1", permits: once("c1"), alsoPermits: [once("c2")] };
  expect(await refused(claim(newTurn(), both))).toEqual(["stale_plan", first]);
});

test("a plan that is not the newest is refused also where the client's history counts", async () => {
  await claim(newTurn(), { record: finished(event(1, "plan", { plan: { version: 1, hash: "aa" } })) });
  const plan = { version: 1, hash: "ab" };
  expect(await refused(claim(newTurn(), { plan, counts: "client" }))).toEqual(["stale_plan", undefined]);
});

test.each([
  ["does not begin with the first id", [event(2, "turn.started")]],
  ["goes on after its end", [...finished(), event(2, "message")]],
])("an opening that %s is refused", async (_, record) => {
  expect(await refused(claim(newTurn(), { record }))).toEqual(["invalid_request", undefined]);
});

test("a turn that was stopped before it began keeps nothing of its opening but its ending", async () => {
  const [one, other] = [newTurn(), newTurn()];
  await stopInJournal(journal, one);
  expect(await claim(one, { record: [event(1, "turn.started")] })).toMatchObject({
    ...{ records: [], stopped: true },
  });
  await stopInJournal(journal, other);
  const ending = [event(1, "turn.done", { reason: "stopped", rounds: 0 })];
  expect(await claim(other, { record: ending })).toMatchObject({ records: ending, finished: true });
});

test("the request of a finished turn, or of an attempt that is not above the last, is not stored", async () => {
  const posted = Buffer.from("request").toString("base64");
  const inputHash = "a".repeat(64);
  const [over, running] = [newTurn(), newTurn()];
  await claim(over, { record: finished(event(1, "turn.started")), inputHash });
  await claim(over, { epoch: 2, inputHash, posted });
  await claim(running, { record: [event(1, "turn.started")], inputHash });
  expect(await refused(claim(running, { inputHash, posted }))).toMatchObject(["stale_epoch", undefined]);
  expect([await journal.posted.read(over), await journal.posted.read(running)]).toEqual([{}, {}]);
  await claim(running, { epoch: 2, inputHash, posted });
  expect(await journal.posted.read(running)).toMatchObject({ posted });
});

test("words sent into a turn are known by their id, and a finished turn takes none", async () => {
  const turnId = newTurn();
  await claim(turnId, { record: [event(1, "turn.started")] });
  const says = (text: string, id = "w1") => refused(steerTurn(journal, journal.turn(turnId), { id, text }));
  expect([await says("More"), await says("More"), await says("Less")]).toEqual([
    ...["accepted", "accepted"],
    ["key_reused", undefined],
  ]);
  await stopInJournal(journal, turnId);
  expect(await says("Late", "w2")).toEqual(["turn_finished", undefined]);
});
