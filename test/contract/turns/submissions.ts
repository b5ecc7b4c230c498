// Every form in which a plan is submitted, in every state of the existing plan, with the outcome event by
// event. No combination runs a text that was not approved.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { Conversation, dataOf, names } from "../../harness/conversation.ts";
import { answersTo, askColour, exitPlan, offered, planned, setPlan, step } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

type Input = TurnRequestInput["input"];
/**
 * `next`: proposed as the next version; `same`: the existing version; `runs`: it runs in this turn; `stop`:
 * neither.
 */
type Outcome = "next" | "same" | "runs" | "stop";

interface State {
  name: string;
  /** Brings the conversation into the state, and returns the person's input there. */
  reach(talk: Conversation, play: (replies: ModelReply[]) => void): Promise<Input>;
  /** Events of the opening. */
  opening?: string[];
  ledger?: true;
  /** Approved and not finished. A plan with nothing in common replaces it first. */
  underWay?: true;
  /** Approved for later. The first working turn begins it. */
  starts?: true;
  /** Outcomes of the forms, in their order. */
  outcomes: Outcome[];
}

const message: Input = { type: "message", text: "Go on" };
const answers = { type: "answers", toolCallId: "ask-1", answers: answersTo("1") } as const;
const asked: ModelReply[] = [{ calls: [setPlan(), askColour("ask-1")] }];
export const other = "1. Write note.txt\n2. Write the tests";
export const goneOn = { text: "I see." };

const forms: [string, ModelReply[]][] = [
  [
    "set_plan",
    [{ calls: [setPlan("Write a note", ["Write note.txt", "Write the tests"]), exitPlan] }, goneOn],
  ],
  ["set_plan {markdown}", [{ calls: [{ name: "set_plan", args: { markdown: other } }, exitPlan] }, goneOn]],
  ["exit_plan {plan}", [{ calls: [{ name: "exit_plan", args: { plan: other } }] }, goneOn]],
  [
    "exit_plan {plan} in prose",
    [{ calls: [{ name: "exit_plan", args: { plan: "Just copy it." } }] }, goneOn],
  ],
  ["a text with steps", [{ text: `Here is the plan:\n${other}` }, goneOn]],
  ["a text under a heading", [{ text: "# Plan\n\nJust copy it." }, goneOn]],
  ["exit_plan {}", [{ calls: [exitPlan] }, goneOn]],
  ["an answer", [goneOn, goneOn]],
];

const keepsSteps = (form: string) => !/prose|heading/.test(form);
const replaced: Outcome[] = ["next", "next", "next", "next", "next", "next"];

export const states: State[] = [
  { name: "no plan", reach: async () => message, outcomes: [...replaced, "stop", "stop"] },
  {
    name: "a draft",
    async reach(talk, play) {
      play(asked);
      await talk.say("Plan");
      return message;
    },
    outcomes: [...replaced, "same", "same"],
  },
  {
    name: "a proposed plan",
    async reach(talk, play) {
      play(planned);
      await talk.say("Plan");
      return message;
    },
    outcomes: [...replaced, "same", "stop"],
  },
  {
    name: "a rejected plan",
    async reach(talk, play) {
      play(planned);
      await talk.say("Plan");
      return { type: "reject", planVersion: 1, feedback: "Not so" };
    },
    opening: ["plan"],
    outcomes: [...replaced, "same", "stop"],
  },
  {
    name: "a plan that is planned again",
    async reach(talk, play) {
      play(planned);
      await talk.say("Plan");
      return { type: "replan" };
    },
    opening: ["plan"],
    outcomes: [...replaced, "same", "same"],
  },
  {
    name: "answers",
    async reach(talk, play) {
      play(asked);
      await talk.say("Plan");
      return answers;
    },
    opening: ["plan"],
    ledger: true,
    outcomes: [...replaced, "same", "same"],
  },
  {
    name: "answers and run",
    async reach(talk, play) {
      play(asked);
      await talk.say("Plan");
      return { ...answers, run: true };
    },
    opening: ["plan"],
    ledger: true,
    outcomes: ["runs", "runs", "next", "next", "next", "next", "runs", "runs"],
  },
  {
    name: "an approved plan",
    async reach(talk, play) {
      play(planned);
      await talk.say("Plan");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", hold: true });
      return message;
    },
    underWay: true,
    starts: true,
    outcomes: [...replaced, "same", "stop"],
  },
  {
    name: "a plan that is worked on",
    async reach(talk, play) {
      play(planned);
      await talk.say("Plan");
      play([{ calls: [step("s1", "active"), askColour("ask-2", { summary: "How?" })] }]);
      await talk.approve();
      return message;
    },
    opening: ["mode"],
    underWay: true,
    outcomes: [...replaced, "same", "stop"],
  },
  {
    name: "a plan that is done",
    async reach(talk, play) {
      play([{ calls: [setPlan("Rest", ["Rest"]), exitPlan] }]);
      await talk.say("Plan");
      play([{ calls: [step("s1", "active")] }, { calls: [step("s1", "done", "rested")] }, goneOn]);
      await talk.approve();
      return message;
    },
    opening: ["mode"],
    outcomes: [...replaced, "stop", "stop"],
  },
  {
    name: "a plan that was given up",
    async reach(talk, play) {
      play(planned);
      await talk.say("Plan");
      if (talk.plan) talk.plan = { ...talk.plan, status: "abandoned" };
      return message;
    },
    outcomes: [...replaced, "stop", "stop"],
  },
];

export function describeSubmissions(stage: Stage): void {
  const told = (events: readonly TurnEvent[]) =>
    names(events).filter((name) =>
      ["plan", "proposal", "ledger", "mode", "questions", "turn.done"].includes(name),
    );

  /** All in one sandbox, one after another, because a new conversation begins without a plan. */
  let sandboxId: string | undefined;
  const fresh = async () => {
    sandboxId ??= (await stage.open([], "plan")).sandboxId;
    return new Conversation(stage.product(), sandboxId, "plan");
  };

  describe("a plan that is submitted", () => {
    for (const { name, reach, opening = [], ledger, underWay, outcomes } of states)
      test.each(forms.map(([form, replies], index) => [form, outcomes[index] ?? "stop", replies] as const))(
        `to ${name} as %s: %s`,
        async (form, outcome, replies) => {
          const talk = await fresh();
          const input = await reach(talk, (script) => stage.model().play(script));
          const before = talk.plan;
          talk.mode = "plan";
          stage.model().play([...replies]);
          const events = await talk.turn(input);

          const decided = ledger ? ["ledger"] : [];
          const proposed = [...decided, "plan", "proposal"];
          const ends: Record<Outcome, string[]> = {
            next: [...(underWay && !keepsSteps(form) ? ["plan"] : []), "plan", ...proposed, "turn.done"],
            same: [...proposed, "turn.done"],
            // `set_plan` changed the plan, or the answers changed nothing in it.
            runs: [
              ...(replies[0]?.text === undefined && replies[0]?.calls?.length === 2 ? ["plan"] : []),
              ...proposed,
              "plan",
              "mode",
              "turn.done",
            ],
            stop: [...decided, "turn.done"],
          };
          expect(told(events)).toEqual([...opening, ...ends[outcome]]);
          const version = (before?.version ?? 0) + (outcome === "next" ? 1 : 0);
          if (outcome === "next" || outcome === "same") {
            expect(talk.plan).toMatchObject({ version, status: "proposed" });
            expect(dataOf(events, "proposal")).toEqual({ planVersion: version, planHash: talk.plan?.hash });
          } else if (outcome === "stop") expect(talk.plan?.version).toBe(before?.version);
          if (outcome === "next") expect(talk.plan?.hash).not.toBe(before?.hash);
          // The model is told the same as the person reads on the card.
          const said = talk.messages.slice(talk.messages.findLastIndex(({ role }) => role === "user"));
          expect(said.some(({ content }) => content.includes("No steps were read in it"))).toBe(
            outcome === "next" && !keepsSteps(form),
          );
          if (outcome === "same") expect(talk.plan?.hash).toBe(before?.hash);
          // Tools that write are offered only if the run was requested.
          expect(talk.mode).toBe(outcome === "runs" ? "normal" : "plan");
          expect(offered(stage.model().requests.at(-1)?.body).includes("write_file")).toBe(
            outcome === "runs",
          );
        },
      );
  });

  describe.each(["normal", "auto"] as const)("in %s mode", (mode) => {
    test.each(states.map((state) => [state.name, state] as const))(
      "with %s, a report counts for an approved plan, and starts no other",
      async (_, { reach }) => {
        const talk = await fresh();
        const input = await reach(talk, (script) => stage.model().play(script));
        talk.mode = mode;
        stage.model().play([{ calls: [step("s1", "active")] }, goneOn, goneOn]);
        await talk.turn(input);
        const waits = talk.plan?.status === "draft" || talk.plan?.status === "proposed";
        const refused = talk.result("update_plan").content.includes("the person has not approved this plan");
        expect([refused, talk.plan?.status === "executing" && waits]).toEqual([waits, false]);
      },
    );

    test.each(states.map((state) => [state.name, state] as const))(
      "with %s, only set_plan submits a plan, and proposes none",
      async (_, { reach, opening = [], ledger, starts }) => {
        const talk = await fresh();
        const input = await reach(talk, (script) => stage.model().play(script));
        const before = talk.plan;
        const known = talk.messages.findLast(({ role }) => role === "assistant")?.mode ?? mode;
        talk.mode = mode;
        stage.model().play([
          { calls: [{ name: "exit_plan", args: { plan: other } }] },
          { text: `Here is the plan:\n${other}` },
          // If steps are open, an early end causes one reminder.
          goneOn,
        ]);
        const events = await talk.turn(input);
        expect(talk.result("exit_plan").content).toContain("`exit_plan` is for planning mode only");
        expect(told(events)).toEqual([
          ...opening.filter((name) => name !== "mode"),
          ...(starts ? ["plan"] : []),
          ...(known === mode ? [] : ["mode"]),
          ...(ledger ? ["ledger"] : []),
          "turn.done",
        ]);
        expect([talk.plan?.version, talk.plan?.hash]).toEqual([before?.version, before?.hash]);
        // Only what the person approved is carried out.
        const worksOn = starts || before?.status === "executing";
        expect(talk.plan?.status === "executing").toBe(worksOn === true);
      },
    );
  });
}
