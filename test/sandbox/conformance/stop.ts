// How a turn is stopped, and how its journal is followed.
import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../running-server.ts";
import { codeOf, type SandboxClient } from "../sandbox-client.ts";
import { event, journaling } from "../turn-journal.ts";

export function describeStops(target: () => SandboxClient): void {
  let client: SandboxClient;
  let id: string;

  beforeAll(() => {
    client = target();
  });

  const { newTurn, record, finishedTurn } = journaling(() => ({ client, id }));
  const fresh = async () => {
    id = (await client.create({ source: { sample: true } })).id;
  };

  describe("stop", () => {
    const ending = (number: number) => event(number, "turn.done", { reason: "stopped", rounds: 1 });

    test("ends the running command, refuses the next, and accepts the turn's own ending", async () => {
      await fresh();
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 1, record: [event(1, "turn.started")] });
      const calls = client.results(id, {
        access: "write",
        turn: { id: turnId, epoch: 1, round: 1, record: [] },
        calls: [
          { key: `${turnId}/1/0`, op: "exec", args: { command: "echo begun; touch running; sleep 600" } },
          { key: `${turnId}/1/1`, op: "exec", args: { command: "touch second" } },
        ],
      });
      await until(async () => (await client.call(id, "read", { path: "running" })).ok);
      expect((await client.post(`/sandboxes/${id}/turns/${turnId}/stop`)).status).toBe(202);
      const [first, second] = await calls;
      expect([first?.error?.code, second?.error?.code]).toEqual(["stopped", "stopped"]);
      expect(first?.value).toMatchObject({ stdout: "begun\n" });
      expect((await record(turnId, 1, [event(2, "message")])).status).toBe(409);
      expect((await record(turnId, 1, [event(2, "message"), ending(3)])).status).toBe(200);
      expect(codeOf(await record(turnId, 1, [ending(4)]))).toBe("turn_finished");
      expect((await client.journal(id, turnId)).map(({ type }) => type)).toContain("stop");
    });

    test("a turn that is not yet known is stopped before it starts", async () => {
      await fresh();
      const turnId = newTurn();
      await client.post(`/sandboxes/${id}/turns/${turnId}/stop`);
      const claim = await client.claim(id, turnId, { epoch: 1, record: [event(1, "turn.started")] });
      expect(claim).toMatchObject({ records: [], finished: false, stopped: true });
      expect((await record(turnId, 1, [event(1, "turn.started")])).status).toBe(409);
      expect((await record(turnId, 1, [event(1, "turn.started"), ending(2)])).status).toBe(200);
    });

    test("stopping twice, or after the end, changes nothing", async () => {
      await fresh();
      const turnId = await finishedTurn(["message", {}]);
      const before = await client.journal(id, turnId);
      await client.post(`/sandboxes/${id}/turns/${turnId}/stop`);
      expect(await client.journal(id, turnId)).toEqual(before);
    });
  });

  describe("following", () => {
    test("lines count from 1, and a part can be requested", async () => {
      await fresh();
      const turnId = await finishedTurn(["message", {}]);
      const all = await client.journal(id, turnId);
      expect(all.map((line) => ("seq" in line ? line.seq : 0))).toEqual([1, 2]);
      expect(await client.journal(id, turnId, "?from=2")).toEqual(all.slice(1));
    });

    test("a waiting reader gets new lines and the end at once", async () => {
      await fresh();
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 1 });
      const reading = client.journal(id, turnId, "?from=1&waitMs=25000");
      await record(turnId, 1, [event(1, "message")]);
      await record(turnId, 1, [event(2, "turn.done", { reason: "stop", rounds: 1 })]);
      expect((await reading).filter(({ type }) => type !== "ping").map(({ type }) => type)).toEqual([
        "claim",
        "record",
        "record",
      ]);
    });
  });
}
