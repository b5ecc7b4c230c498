// Plans that are set outside of planning, in every state of the existing plan. Outside of plan mode, an
// approved plan changes only with the person's approval. In auto mode, a plan that they have not seen begins
// only if it contains nothing of the plan that waits for them.
import { describe, expect, test } from "vitest";
import type { ScriptedCall } from "../../fakes/model-reply.ts";
import { Conversation, dataOf, names } from "../../harness/conversation.ts";
import { setPlan } from "./plan-script.ts";
import type { Stage } from "./stage.ts";
import { goneOn, other, states } from "./submissions.ts";

const forms = ["set_plan", "set_plan {markdown}", "set_plan in prose", "set_plan of another goal"] as const;
const calls: Record<(typeof forms)[number], ScriptedCall> = {
  set_plan: setPlan("Write a note", ["Write note.txt", "Write the tests"]),
  "set_plan {markdown}": { name: "set_plan", args: { markdown: other } },
  "set_plan in prose": { name: "set_plan", args: { markdown: "Just copy it." } },
  "set_plan of another goal": setPlan("Another goal", ["Paint the house", "Dry it"]),
};

/** The status of the version that was set, or `asked`: the person is asked, and nothing has changed. */
type Outcome = "draft" | "proposed" | "executing" | "asked";
const outcomes: Record<"normal" | "auto", Record<string, Outcome[]>> = {
  normal: {
    fresh: ["draft", "draft", "draft", "draft"],
    waits: ["proposed", "proposed", "draft", "draft"],
    underWay: ["asked", "asked", "asked", "asked"],
  },
  auto: {
    fresh: ["executing", "executing", "draft", "executing"],
    waits: ["proposed", "proposed", "draft", "executing"],
    underWay: ["executing", "executing", "executing", "executing"],
  },
};
const isFresh = (name: string) => name === "no plan" || name === "a plan that is done";

export function describeSubmissionsAtWork(stage: Stage): void {
  let sandboxId: string | undefined;

  describe.each(["normal", "auto"] as const)("a plan set in %s mode", (mode) => {
    for (const { name, reach, underWay } of states)
      test.each(forms.map((form, index) => [form, index] as const))(
        `with ${name}, as %s`,
        async (form, index) => {
          sandboxId ??= (await stage.open([], "plan")).sandboxId;
          const talk = new Conversation(stage.product(), sandboxId, "plan");
          const input = await reach(talk, (script) => stage.model().play(script));
          const before = talk.plan;
          talk.mode = mode;
          // If steps are open, an early end causes one reminder.
          stage.model().play([{ calls: [calls[form]] }, goneOn, goneOn]);
          const events = await talk.turn(input);

          const kind = underWay ? "underWay" : isFresh(name) ? "fresh" : "waits";
          const outcome = outcomes[mode][kind]?.[index];
          const asked = outcome === "asked";
          expect(names(events).includes("permission")).toBe(asked);
          expect(names(events).includes("proposal")).toBe(outcome === "proposed");
          expect(dataOf(events, "turn.done").reason).toBe(asked ? "permission" : "stop");
          expect([talk.plan?.version, talk.plan?.status]).toEqual(
            asked ? [before?.version, "executing"] : [(before?.version ?? 0) + 1, outcome],
          );
          if (asked) {
            expect(talk.plan?.hash).toBe(before?.hash);
            expect(dataOf(events, "permission")).toMatchObject({
              risk: "plan_change",
              change: { updates: expect.arrayContaining([expect.stringMatching(/\S/)]) },
            });
          }
          // The replaced plan is reported before the new one.
          const gone = events.some(
            (event) => event.event === "plan" && event.data.plan.status === "abandoned",
          );
          expect(gone).toBe(underWay === true && mode === "auto" && index > 1);
        },
      );
  });
}
