// The journal of a turn: who runs it, what may be recorded, what it was given to resolve, and how it is
// stopped.
import { beforeAll, describe, expect, test } from "vitest";
import { codeOf, detailsOf, type SandboxClient } from "../sandbox-client.ts";
import { event, journaling } from "../turn-journal.ts";

export function describeTurns(target: () => SandboxClient): void {
  let client: SandboxClient;
  let id: string;

  beforeAll(() => {
    client = target();
  });

  const { newTurn, record, finishedTurn } = journaling(() => ({ client, id }));
  const fresh = async (): Promise<void> => {
    id = (await client.create({ source: { sample: true } })).id;
  };
  const claimed = (turnId: string, body: Record<string, unknown>) =>
    client.post(`/sandboxes/${id}/turns/${turnId}/claim`, body);

  describe("claims", () => {
    test("the opening record is journaled once, and a later claim gets everything so far", async () => {
      await fresh();
      const turnId = newTurn();
      const opening = [event(1, "turn.started"), event(2, "message")];
      expect(await client.claim(id, turnId, { epoch: 1, inputHash: "h", record: opening })).toMatchObject({
        records: opening,
        results: [],
        finished: false,
      });
      const again = await client.claim(id, turnId, { epoch: 2, inputHash: "h", record: [event(1, "other")] });
      expect(again.records).toEqual(opening);
    });

    test("an epoch that is not above the last is stale", async () => {
      await fresh();
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 3 });
      for (const epoch of [1, 3]) {
        const refused = await claimed(turnId, { epoch });
        expect([refused.status, codeOf(refused), detailsOf(refused)]).toEqual([
          409,
          "stale_epoch",
          { epoch: 3 },
        ]);
      }
    });

    test("a different input under a known id is refused, whatever its epoch", async () => {
      await fresh();
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 1, inputHash: "one" });
      for (const epoch of [1, 2]) {
        const refused = await claimed(turnId, { epoch, inputHash: "two" });
        expect([refused.status, codeOf(refused)]).toEqual([422, "key_reused"]);
      }
    });

    test("a claim with a higher epoch on a finished turn is told so, and nothing more is accepted", async () => {
      await fresh();
      const turnId = await finishedTurn(["message", {}]);
      expect(await client.claim(id, turnId, { epoch: 2 })).toMatchObject({
        finished: true,
        records: { length: 2 },
      });
      const late = await record(turnId, 2, [event(3, "message")]);
      expect([late.status, codeOf(late)]).toEqual([409, "turn_finished"]);
    });
  });

  describe("a turn that nobody claimed", () => {
    const batch = (turnId: string, epoch: number, key: string) =>
      client.post(`/sandboxes/${id}/calls`, {
        access: "write",
        turn: { id: turnId, epoch, round: 0, record: [event(1, "message")] },
        calls: [{ key, op: "exec", args: { command: `touch ${key}` } }],
      });

    test("runs its calls, and its epoch holds as if it had been claimed", async () => {
      await fresh();
      const turnId = newTurn();
      expect((await batch(turnId, 2, "first")).status).toBe(200);
      expect((await client.call(id, "read", { path: "first" })).ok).toBe(true);
      const lower = await batch(turnId, 1, "second");
      expect([lower.status, codeOf(lower)]).toEqual([409, "stale_epoch"]);
      expect(codeOf(await claimed(turnId, { epoch: 2 }))).toBe("stale_epoch");
      expect((await client.claim(id, turnId, { epoch: 3 })).records).toEqual([event(1, "message")]);
    });

    test("has claimed no proposal or call yet: its first claim is checked like any other", async () => {
      await fresh();
      await finishedTurn(
        ["plan", { plan: { version: 1, hash: "aa" } }],
        ["proposal", { planVersion: 1, planHash: "aa" }],
      );
      const [one, two] = [newTurn(), newTurn()];
      expect((await batch(one, 1, "first")).status).toBe(200);
      expect(codeOf(await claimed(one, { epoch: 2, resolves: "proposal:9:zz" }))).toBe("stale_plan");
      expect(codeOf(await claimed(one, { epoch: 2, plan: { version: 1, hash: "zz" } }))).toBe("stale_plan");
      await client.claim(id, one, { epoch: 2, resolves: "proposal:1:aa" });
      expect(detailsOf(await claimed(two, { epoch: 1, resolves: "proposal:1:aa" }))).toEqual({ turnId: one });
    });

    test("runs nothing if it was stopped before it began", async () => {
      await fresh();
      const turnId = newTurn();
      await client.post(`/sandboxes/${id}/turns/${turnId}/stop`);
      const late = await batch(turnId, 1, "late");
      expect([late.status, codeOf(late)]).toEqual([409, "turn_finished"]);
      expect((await client.failure(id, "read", { path: "late" })).code).toBe("not_found");
    });
  });

  describe("records", () => {
    test("ids continue from the last one, and a record sent again is recognized", async () => {
      await fresh();
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 1, record: [event(1, "turn.started")] });
      expect((await record(turnId, 1, [event(2, "message", { n: 2 })])).status).toBe(200);
      expect((await record(turnId, 1, [event(2, "message", { n: 2 })])).status).toBe(200);
      for (const wrong of [
        [event(2, "message", { n: 0 })],
        [event(4, "message")],
        [event(3, "message"), event(3, "message")],
      ]) {
        expect((await record(turnId, 1, wrong)).status).toBe(400);
      }
      expect((await client.claim(id, turnId, { epoch: 2 })).records.map(({ id: number }) => number)).toEqual([
        1, 2,
      ]);
    });

    test("nothing of a fenced runner is journaled or run", async () => {
      await fresh();
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 1 });
      await client.claim(id, turnId, { epoch: 2 });
      const late = await client.post(`/sandboxes/${id}/calls`, {
        access: "write",
        turn: { id: turnId, epoch: 1, round: 0, record: [event(1, "message")] },
        calls: [{ key: "late", op: "exec", args: { command: "touch late" } }],
      });
      expect([late.status, codeOf(late)]).toEqual([409, "stale_epoch"]);
      expect((await client.failure(id, "read", { path: "late" })).code).toBe("not_found");
      expect((await client.claim(id, turnId, { epoch: 3 })).records).toEqual([]);
    });
  });

  describe("what may be claimed once", () => {
    const plan = (version: number, hash: string) =>
      ["plan", { plan: { version, hash } }] as [string, Record<string, unknown>];
    const proposal = (planVersion: number, planHash: string) =>
      ["proposal", { planVersion, planHash }] as [string, Record<string, unknown>];

    test("a proposal can be claimed by one turn; the second is told which", async () => {
      await fresh();
      await finishedTurn(plan(1, "aa"), proposal(1, "aa"));
      const [winner, loser] = [newTurn(), newTurn()];
      await client.claim(id, winner, { epoch: 1, resolves: "proposal:1:aa" });
      const refused = await claimed(loser, { epoch: 1, resolves: "proposal:1:aa" });
      expect([refused.status, codeOf(refused), detailsOf(refused)]).toEqual([
        409,
        "stale_plan",
        { turnId: winner },
      ]);
      await client.claim(id, winner, { epoch: 2, resolves: "proposal:1:aa" });
    });

    test("of fifty concurrent turns exactly one can claim it", async () => {
      await fresh();
      await finishedTurn(plan(1, "aa"), proposal(1, "aa"));
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => claimed(newTurn(), { epoch: 1, resolves: "proposal:1:aa" })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array.from({ length: 49 }, () => 409),
      ]);
    });

    test("only the newest proposal counts, and a plan with a different text withdraws it", async () => {
      await fresh();
      await finishedTurn(plan(1, "aa"), proposal(1, "aa"));
      await finishedTurn(plan(2, "bb"), proposal(2, "bb"));
      expect((await claimed(newTurn(), { epoch: 1, resolves: "proposal:1:aa" })).status).toBe(409);
      await finishedTurn(plan(2, "cc"));
      expect((await claimed(newTurn(), { epoch: 1, resolves: "proposal:2:bb" })).status).toBe(409);
      expect((await client.get(`/sandboxes/${id}`)).body).toMatchObject({ proposal: null });
    });

    test("a plan proposed again after a rejection can be approved", async () => {
      await fresh();
      await finishedTurn(plan(1, "aa"), proposal(1, "aa"));
      const rejecting = newTurn();
      await client.claim(id, rejecting, {
        epoch: 1,
        resolves: "proposal:1:aa",
        record: [event(1, "proposal", { planVersion: 1, planHash: "aa" })],
      });
      await client.claim(id, newTurn(), { epoch: 1, resolves: "proposal:1:aa" });
      await client.claim(id, rejecting, { epoch: 2, resolves: "proposal:1:aa" });
    });

    test("an open call is answered by one turn, and by another once it was asked again", async () => {
      await fresh();
      const [first, second, third] = [newTurn(), newTurn(), newTurn()];
      await client.claim(id, first, { epoch: 1, resolves: "call:c1" });
      const refused = await claimed(second, { epoch: 1, resolves: "call:c1" });
      expect(detailsOf(refused)).toEqual({ turnId: first });
      await record(first, 1, [event(1, "questions", { toolCallId: "c1" })]);
      await client.claim(id, third, { epoch: 1, resolves: "call:c1" });
    });

    test("an open call that a turn's opening closes cannot be answered later", async () => {
      await fresh();
      const [closing, late] = [newTurn(), newTurn()];
      const result = { role: "tool", toolCallId: "c1", content: "cancelled: something else" };
      await client.claim(id, closing, { epoch: 1, record: [event(1, "message", { message: result })] });
      expect(detailsOf(await claimed(late, { epoch: 1, resolves: "call:c1" }))).toEqual({ turnId: closing });
      await client.claim(id, closing, { epoch: 2, resolves: "call:c1" });
    });

    test("a call is cancelled as waiting only where it was asked about before it ran, and nobody allowed it", async () => {
      await fresh();
      const asks = (toolCallId: string, risk: string) =>
        finishedTurn(["permission", { toolCallId, name: "run_command", arguments: "{}", risk }]);
      const refusal = async (cancels: string) => detailsOf(await claimed(newTurn(), { epoch: 1, cancels }));
      expect(await refusal("lost")).toEqual({ toolCallId: "lost", mayHaveRun: true });
      await asks("begun", "outcome_unknown");
      expect(await refusal("begun")).toEqual({ toolCallId: "begun", mayHaveRun: true });
      await asks("allowed", "destructive");
      await client.claim(id, newTurn(), { epoch: 1, resolves: "call:allowed" });
      expect(await refusal("allowed")).toEqual({ toolCallId: "allowed", mayHaveRun: true });
      await asks("waits", "destructive");
      await client.claim(id, newTurn(), { epoch: 1, cancels: "waits" });
    });

    test("a plan other than the newest known is refused with the newest", async () => {
      await fresh();
      await finishedTurn(plan(1, "aa"));
      await finishedTurn(plan(1, "ab"));
      const refused = await claimed(newTurn(), { epoch: 1, plan: { version: 1, hash: "aa" } });
      expect([codeOf(refused), detailsOf(refused)]).toEqual([
        "stale_plan",
        { planVersion: 1, planHash: "ab" },
      ]);
      expect(codeOf(await claimed(newTurn(), { epoch: 1, plan: null }))).toBe("stale_plan");
      const turnId = newTurn();
      await client.claim(id, turnId, { epoch: 1, plan: { version: 1, hash: "ab" } });
      await record(turnId, 1, [event(1, "plan", { plan: { version: 2, hash: "ba" } })]);
      await client.claim(id, turnId, { epoch: 2, plan: { version: 1, hash: "ab" } });
    });

    test("a refused claim leaves no trace", async () => {
      await fresh();
      const turnId = newTurn();
      expect(
        (await claimed(turnId, { epoch: 1, resolves: "proposal:9:zz", record: [event(1, "x")] })).status,
      ).toBe(409);
      expect((await client.get(`/sandboxes/${id}/turns/${turnId}`)).status).toBe(404);
      expect((await client.claim(id, turnId, { epoch: 1 })).records).toEqual([]);
    });
  });
}
