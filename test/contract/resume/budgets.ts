import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { executing, setPlan, step, write } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";

const looking: ModelReply = {
  calls: [{ name: "list_files", args: {} }, write("a.txt"), { name: "list_files", args: {} }],
};

/** The cost of a turn for its host, counted on the wire, and how a turn ends before it costs too much. */
export function describeBudgets(stage: ResumeStage): void {
  const counted = stage.runtime === "workerd";

  /** The number of requests to model and sandbox that `act` causes. */
  async function cost({ sandboxId }: Conversation, act: () => Promise<unknown>): Promise<number> {
    const ours = () => stage.wire().requests.filter((request) => request.includes(`/${sandboxId}/`)).length;
    const before = ours() + stage.model().requests.length;
    await act();
    return ours() + stage.model().requests.length - before;
  }

  async function costOf(script: ModelReply[]): Promise<number> {
    const talk = await stage.open(script);
    return cost(talk, () => talk.say("Look"));
  }

  describe("budgets", () => {
    test("a round costs two requests, and each failed model request one more", { tags: "long" }, async () => {
      const two = await costOf([looking, looking, { text: "done" }]);
      const five = await costOf([looking, looking, looking, looking, looking, { text: "done" }]);
      expect(five - two).toBe(3 * 2);
      const retried = await costOf([looking, { status: 500 }, looking, { text: "done" }]);
      expect(retried).toBe(two + 1);
    });

    test("a check that fails costs one request for its baseline, and one for a rollback", {
      tags: "long",
    }, async () => {
      const costs = [];
      for (const [command, baseline] of [
        ["true", true],
        ["false", false],
        ["false", true],
      ] as const) {
        const steps = [
          { id: "s1", description: "Write", checkpoint: { command }, onFail: "rollback" },
          { id: "s2", description: "x" },
        ];
        const { talk } = await executing(stage, setPlan("Goal", steps), [{ text: "ready" }]);
        stage
          .model()
          .play([
            { calls: [step("s1", "active"), write("x.txt")] },
            { calls: [step("s1", "done", "ok")] },
            { text: "ok" },
          ]);
        talk.options = { baseline };
        costs.push(await cost(talk, () => talk.say("Go")));
      }
      const [kept = 0, ...rolledBack] = costs;
      expect(rolledBack).toEqual([kept + 1, kept + 2]);
    });

    test("a turn ends with `continue` before it has made more requests than its host allows", {
      tags: "long",
    }, async () => {
      const script: ModelReply[] = Array.from({ length: 5 }, () => [{ status: 500 }, looking]).flat();
      script.push(...Array.from({ length: 17 }, () => looking), { text: "done" });
      const talk = await stage.open(script);
      const requests = await cost(talk, () => talk.say("Look on and on"));
      const { reason, rounds } = dataOf(talk.events, "turn.done");
      if (counted) {
        expect(reason).toBe("continue");
        // Twenty rounds are allowed, but the many retries use up the requests first.
        expect(rounds).toBeLessThan(20);
        expect(requests).toBeLessThanOrEqual(50);
        await talk.turn({ type: "continue" });
      } else {
        expect(requests).toBeGreaterThan(50);
        expect(rounds).toBe(23);
      }
      expect(dataOf(talk.events, "turn.done").reason).toBe("stop");
    });

    test("a turn ends with `continue` before it has written more than the next one can read", async () => {
      const talk = await stage.open([
        { text: "x".repeat(900_000), calls: [{ name: "list_files", args: {} }], deltaChars: 100_000 },
      ]);
      await talk.say("Talk on and on");
      expect(dataOf(talk.events, "turn.done")).toEqual({ reason: "continue", rounds: counted ? 3 : 5 });
      stage.model().play([{ text: "done" }]);
      await talk.turn({ type: "continue" });
      expect(dataOf(talk.events, "turn.done").reason).toBe("stop");
    });
  });
}
