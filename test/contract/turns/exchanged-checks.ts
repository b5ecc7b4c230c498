// Checks that were added to a plan after its approval: the engine runs them only as it would run a command of
// the model.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ScriptedCall } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { done } from "./forged.ts";
import { executing, exitPlan, setPlan, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const out = "git push origin main && touch ran.txt";
const update = (args: Record<string, unknown>): ScriptedCall => ({ name: "update_plan", args });
const ended = (id: string) => ({ id, status: "done", note: "did it" });
const approved = setPlan("Do it", [{ id: "s1", description: "Write", checkpoint: { command: "true" } }]);

/** The ways in which the model adds its own check to the approved plan and has it run. */
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
  describe("a check that the approved plan did not have", () => {
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

    test.each(exchanges)("asks like any command, %s, in auto mode", async (_how, calls) => {
      const { talk, events } = await run("auto", calls);
      const { risk, commands } = dataOf(events, "permission");
      expect([risk, commands?.at(-1)]).toEqual(["remote", out]);
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
      stage.model().play([done]);
      await talk.turn(permit(events, "deny"));
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
      expect(talk.plan?.status).not.toBe("done");
    });

    test.each(exchanges)(
      "is first asked about as a change of the plan, %s, in normal mode",
      async (_how, calls) => {
        const { talk, events } = await run("normal", calls);
        const { risk, change } = dataOf(events, "permission");
        expect([risk, change?.diff]).toEqual(["plan_change", expect.stringContaining(out)]);
        stage.model().play([done]);
        await talk.turn(permit(events, "deny"));
        expect(await stage.file(talk, "ran.txt")).toBeUndefined();
        expect(talk.plan?.markdown).not.toContain(out);
      },
    );

    test("asks once more when it would run, after the change was approved", async () => {
      const [, [change, end] = []] = exchanges[1] ?? [];
      const { talk, events } = await run("normal", change ? [change] : []);
      stage.model().play(end ? [{ calls: [end] }] : []);
      const then = await talk.turn(permit(events, "once"));
      expect(dataOf(then, "permission")).toMatchObject({ risk: "remote", commands: [out] });
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
    });

    test("cannot be replaced by a third one through an edit sent with the permit", async () => {
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

  describe("a check that the person chose in a question", () => {
    const check = "test -f note.txt";
    const ask: ScriptedCall = {
      id: "how",
      name: "ask_user",
      args: {
        summary: "The check of step 1 fails.",
        questions: [
          {
            label: "Check",
            prompt: "How to go on?",
            options: ["Keep it", `Look for the note: \`${check}\``],
          },
        ],
      },
    };
    const steps = [
      { id: "s1", description: "Write", checkpoint: { command: "test -f other.txt" } },
      { id: "s2", description: "Rest", checkpoint: { command: "test -f note.txt && true" } },
    ];

    /** The check of the first step fails, the person answers `raw`, and the model responds with `calls`. */
    async function answered(raw: string, calls: ScriptedCall[], command = check) {
      const asked = JSON.parse(JSON.stringify(ask).replaceAll(check, command));
      const failing = [{ calls: [write("note.txt")] }, { calls: [step("s1", "done", "tried")] }];
      const { talk } = await executing(stage, setPlan("Do it", steps), [...failing, { calls: [asked] }]);
      stage.model().play([{ calls }, done, done]);
      const answers = [{ id: "q1", raw }];
      return { talk, events: await talk.turn({ type: "answers", toolCallId: "how", answers }) };
    }
    const exchange = (command: string, id = "s1") =>
      update({ steps: [{ id, checkpoint: { command }, ...(id === "s1" ? ended(id) : {}) }] });
    const risks = (events: TurnEvent[]) =>
      events.flatMap((event) => (event.event === "permission" ? [event.data.risk] : []));

    test.each([
      ["by an option", "2"],
      ["in their own words", `Take \`${check}\` then`],
    ])("%s is accepted without asking again, and shown", async (_how, raw) => {
      const { talk, events } = await answered(raw, [exchange(check)]);
      expect(risks(events)).toEqual([]);
      expect(talk.plan?.steps[0]).toMatchObject({ status: "done", checkpoint: { command: check } });
      expect(dataOf(events, "ledger").updates).toEqual(["Step 1 changed: Write (check)"]);
    });

    test.each<[string, string, ScriptedCall[]]>([
      ["another command than the one shown", "2", [exchange("test -e note.txt")]],
      ["the option that was not chosen", "1", [exchange(check)]],
      ["their refusal of it", `Not \`${check}\``, [exchange(check)]],
      ["another step", "2", [exchange(check, "s2")]],
      [
        "a change beside it",
        "2",
        [update({ goal: "Else", steps: [{ id: "s1", checkpoint: { command: check } }] })],
      ],
    ])("does not cover %s", async (_what, raw, calls) => {
      const { talk, events } = await answered(raw, calls);
      expect(risks(events)).toEqual(["plan_change"]);
      expect(talk.plan?.markdown).toContain("test -f other.txt");
      // The effect of the answers is not decided yet.
      const { change } = dataOf(events, "permission");
      expect(dataOf(events, "ledger").updates).toEqual(
        change?.updates.map((update) => `To be approved: ${update}`),
      );
    });

    test("does not allow what needs a permission of its own", async () => {
      const { talk, events } = await answered("2", [exchange(out)], out);
      expect(risks(events)).toEqual(["remote"]);
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
    });

    test("covers the turn of the answer alone", async () => {
      const { talk } = await answered("2", [{ name: "list_files", args: {} }]);
      stage.model().play([{ calls: [exchange(check)] }]);
      expect(risks(await talk.say("Go on"))).toEqual(["plan_change"]);
    });
  });
}
