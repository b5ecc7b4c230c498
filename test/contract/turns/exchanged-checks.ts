// Checks that came into a plan after it was approved: the engine runs them as it would run any command of the model's.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ScriptedCall } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { done } from "./forged.ts";
import { exitPlan, setPlan, step } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const out = "git push origin main && touch ran.txt";
const update = (args: Record<string, unknown>): ScriptedCall => ({ name: "update_plan", args });
const ended = (id: string) => ({ id, status: "done", note: "did it" });
const approved = setPlan("Do it", [{ id: "s1", description: "Write", checkpoint: { command: "true" } }]);

/** How the model brings its own check into the plan that was approved, and has it run. */
const exchanges: [string, ScriptedCall[]][] = [
  ["in the call that ends the step", [update({ steps: [{ ...ended("s1"), checkpoint: { command: out } }] })]],
  [
    "in a call before it",
    [update({ steps: [{ id: "s1", checkpoint: { command: out } }] }), step("s1", "done", "did it")],
  ],
  [
    "with a step that was not there",
    [
      update({ addSteps: [{ id: "s2", description: "More", checkpoint: { command: out } }] }),
      update({ steps: [ended("s1"), ended("s2")] }),
    ],
  ],
  [
    "as the check of the whole plan, with another plan",
    [
      setPlan("Do it", [{ id: "s1", description: "Write" }], { checkpoints: [{ command: out }] }),
      step("s1", "done", "did it"),
    ],
  ],
];

export function describeExchangedChecks(stage: Stage): void {
  describe("a check that was not in the plan as approved", () => {
    async function run(mode: "normal" | "auto", calls: ScriptedCall[]) {
      const talk = await stage.open([{ calls: [approved, exitPlan] }], "plan");
      await talk.say("Plan");
      stage.model().play([...calls.map((call) => ({ calls: [call] })), done]);
      return { talk, events: await talk.approve(mode) };
    }
    const permit = (events: TurnEvent[], decision: "once" | "deny") => ({
      type: "permit" as const,
      toolCallId: dataOf(events, "permission").toolCallId,
      decision,
    });

    test.each(exchanges)("is asked about like any command, %s, in auto mode", async (_how, calls) => {
      const { talk, events } = await run("auto", calls);
      const { risk, commands } = dataOf(events, "permission");
      expect([risk, commands?.at(-1)]).toEqual(["remote", out]);
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
      stage.model().play([done]);
      await talk.turn(permit(events, "deny"));
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
      expect(talk.plan?.status).not.toBe("done");
    });

    test.each(exchanges)("is a change of the plan first, %s, in normal mode", async (_how, calls) => {
      const { talk, events } = await run("normal", calls);
      const { risk, change } = dataOf(events, "permission");
      expect([risk, change?.diff]).toEqual(["plan_change", expect.stringContaining(out)]);
      stage.model().play([done]);
      await talk.turn(permit(events, "deny"));
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
      expect(talk.plan?.markdown).not.toContain(out);
    });

    test("is asked about once more when it would run, where the change was approved before", async () => {
      const [, [change, end] = []] = exchanges[1] ?? [];
      const { talk, events } = await run("normal", change ? [change] : []);
      stage.model().play(end ? [{ calls: [end] }] : []);
      const then = await talk.turn(permit(events, "once"));
      expect(dataOf(then, "permission")).toMatchObject({ risk: "remote", commands: [out] });
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
    });

    test("is not exchanged for a third one by an edit beside the permission", async () => {
      const { talk, events } = await run("auto", exchanges[1]?.[1] ?? []);
      const plan = talk.plan && {
        ...talk.plan,
        markdown: talk.plan.markdown.replace(out, "touch third.txt"),
      };
      stage.model().play([done]);
      const body = talk.body(permit(events, "once"), { plan });
      const response = await postTurn(stage.product(), body);
      expect(await response.json()).toMatchObject({
        error: { code: "invalid_request", details: { field: "plan.markdown" } },
      });
      expect(await stage.file(talk, "third.txt")).toBeUndefined();
    });
  });
}
