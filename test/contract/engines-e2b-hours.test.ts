// Guests at E2B over hours, with a clock that the tests move: what keeps them awake, what puts them to sleep,
// and the longest run that a plan allows.
// @module-tag long
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { E2bHost } from "../fakes/engines/e2b-host.ts";
import type { E2bQuirks } from "../fakes/engines/e2b-sandbox.ts";
import { clientOf, newSpec, openEngine } from "../harness/engine-stage.ts";
import { until } from "../sandbox/running-server.ts";

const minute = 60_000;
/** The longest run on the plan Hobby, in seconds. */
const hour = 3_600;

let host: E2bHost | undefined;
afterEach(() => host?.close());

/** A guest with a session. Its edge tends it every minute. */
async function open(quirks: Partial<E2bQuirks> = {}) {
  const e2b = await E2bHost.start(quirks, true);
  host = e2b;
  const engine = await openEngine("e2b", e2b, {
    now: () => e2b.now(),
    elapsed: () => performance.now() + e2b.passedMs,
  });
  const { guest, endpoint } = await engine.create(newSpec());
  const { id } = await clientOf(endpoint).create({ source: { sample: true } });
  const entry = e2b.entry(guest);
  const workspace = `${entry.guest.state}/sandboxes/${id}/workspace`;
  let wakes = 0;
  let lost = 0;
  /** A client that reaches the guest as an edge does. */
  async function client() {
    const found = await engine.find(guest);
    if (found.state === "ready") return clientOf(found.endpoint);
    wakes += 1;
    const woken = await engine.wake(guest);
    if (woken.lostSince !== undefined) lost += 1;
    return clientOf(woken);
  }
  const run = async (command: string) => (await client()).call(id, "exec", { command });
  async function pass(minutes: number, each: (at: number) => Promise<unknown> = async () => undefined) {
    for (let at = 1; at <= minutes; at += 1) {
      await e2b.advance(minute);
      await engine.tend?.();
      await each(at);
    }
  }
  const read = async (name: string) =>
    (await (await client()).get(`/sandboxes/${id}/file?path=${name}`)).body;
  return { e2b, entry, workspace, run, pass, read, counts: () => ({ wakes, lost, ended: e2b.ended.length }) };
}

test("a guest whose turn makes a call now and then stays awake while the turn runs", async () => {
  const { entry, run, pass, counts } = await open();
  // A command runs for ten minutes at most, so there is a new one every ten minutes.
  await pass(90, async (at) => at % 10 > 0 || expect((await run("true")).ok).toBe(true));
  expect([entry.state, counts()]).toEqual(["running", { wakes: 0, lost: 0, ended: 0 }]);
});

test("a guest that nobody uses sleeps after a quarter of an hour, and costs nothing from then on", async () => {
  const { e2b, entry, run, pass, read, counts } = await open();
  await run("echo kept > kept.txt");
  await pass(14);
  expect(entry.state).toBe("running");
  await pass(2);
  expect(entry.state).toBe("paused");
  const { billedMs } = e2b;
  expect(billedMs).toBeLessThan(17 * minute);
  await pass(60);
  expect([entry.state, e2b.billedMs]).toEqual(["paused", billedMs]);
  expect(await read("kept.txt")).toBe("kept\n");
  expect(counts()).toEqual({ wakes: 1, lost: 0, ended: 0 });
});

test("a background command keeps its guest awake until the command has ended", async () => {
  const { entry, workspace, run, pass } = await open();
  void run("touch begun; while [ ! -f go ]; do sleep 0.05; done");
  await until(() => existsSync(`${workspace}/begun`));
  await pass(60);
  expect(entry.state).toBe("running");
  await writeFile(`${workspace}/go`, "");
  await pass(26);
  expect(entry.state).toBe("paused");
});

test("where a run may last an hour at most, a guest in use sleeps for a moment before that, and loses nothing", async () => {
  const { run, pass, read, counts } = await open({ longestRun: hour });
  await pass(130, async (at) => at % 5 > 0 || expect((await run(`echo ${at} >> log.txt`)).ok).toBe(true));
  const lines = Array.from({ length: 26 }, (_, index) => `${(index + 1) * 5}\n`);
  expect(await read("log.txt")).toBe(lines.join(""));
  expect(counts()).toEqual({ wakes: 2, lost: 0, ended: 0 });
});

test("a command still running after an hour is paused by E2B, and continues once the guest wakes", async () => {
  const { workspace, run, pass, read, counts } = await open({ longestRun: hour });
  await pass(45, async (at) => at % 5 > 0 || run(`echo ${at} > at.txt`));
  void run("touch begun; while [ ! -f go ]; do sleep 0.05; done; echo done >> log.txt").catch(
    () => undefined,
  );
  await until(() => existsSync(`${workspace}/begun`));
  await pass(16);
  expect(counts().ended).toBe(1);
  await writeFile(`${workspace}/go`, "");
  expect((await run("true")).ok).toBe(true);
  await until(() => existsSync(`${workspace}/log.txt`));
  expect(await read("log.txt")).toBe("done\n");
  expect(counts()).toEqual({ wakes: 1, lost: 0, ended: 1 });
});

test("a guest that no edge tends is paused by E2B ten minutes later than we would, with its files", async () => {
  const { e2b, entry, run, read, counts } = await open();
  await run("echo kept > kept.txt");
  await e2b.advance(24 * minute);
  expect(entry.state).toBe("running");
  await e2b.advance(2 * minute);
  expect(entry.state).toBe("paused");
  expect(await read("kept.txt")).toBe("kept\n");
  expect(counts()).toEqual({ wakes: 1, lost: 0, ended: 1 });
});
