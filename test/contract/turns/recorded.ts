// The planning part of a real model's recorded session (test/fixtures/recorded), and variants as other models
// would write them.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ModelReply, ScriptedCall } from "../../fakes/model-reply.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { reportsOf, statusesOf } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const Line = z.object({
  person: z.optional(z.string()),
  model: z.optional(
    z.object({
      text: z.string(),
      calls: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) })),
    }),
  ),
});
const lines = readFileSync(new URL("../../fixtures/recorded/planning.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => z.parse(Line, JSON.parse(line)));
const [wish = "", feedback = ""] = lines.flatMap(({ person }) => person ?? []);
const [drafted, patched, revised, submitted] = lines.flatMap(({ model }): ModelReply[] =>
  model ? [{ text: model.text, calls: model.calls }] : [],
);

/** Replaces the checks by others, because the session's repository is not here. */
const runnable = (reply: ModelReply | undefined): ModelReply => {
  const calls = JSON.stringify(reply?.calls ?? []).replace(
    /"command":"(?:[^"\\]|\\.)*"/g,
    '"command":"test -f package.json"',
  );
  return { text: reply?.text ?? "", calls: JSON.parse(calls) as ScriptedCall[] };
};

export function describeRecorded(stage: Stage): void {
  const play = (...replies: (ModelReply | undefined)[]) =>
    stage.model().play(replies.flatMap((reply) => (reply ? [reply] : [])));

  /** Plays the session up to the rejection, then other answers of the model. */
  async function rejected(
    edit: typeof runnable,
    ...replies: (ModelReply | undefined)[]
  ): Promise<Conversation> {
    const talk = await stage.open([edit(drafted)], "plan");
    const { toolCallId } = dataOf(await talk.say(wish), "questions");
    play(edit(patched));
    await talk.turn({ type: "answers", toolCallId, answers: [{ id: "ms", raw: "1" }] });
    expect(talk.plan).toMatchObject({ status: "proposed", round: 1, steps: { length: 5 } });
    play(...replies);
    await talk.turn({ type: "reject", planVersion: talk.plan?.version ?? 0, feedback });
    return talk;
  }
  const asIs = (reply: ModelReply | undefined): ModelReply => reply ?? { text: "" };

  describe("a recorded session", () => {
    test("is planned, answered, updated, rejected and submitted again, its long checks unchanged", async () => {
      const talk = await rejected(asIs, revised, submitted);
      expect(talk.plan).toMatchObject({ version: 1, status: "proposed" });
      expect(talk.plan?.steps.map(({ id }) => id)).toEqual(["error", "throw-sites", "tests", "verify"]);
      expect(talk.plan?.steps[3]?.checkpoint?.command).toBe(
        "npx xo && npx ava test/main.ts --match='*' --match='!*AbortError*' --match='!merges signals from instance and request options' && npx ava test/retry.ts test/hooks.ts",
      );
    });

    test("with a model that rewrites the plan as plain text: its text is the next version, and repeated steps keep their checks", async () => {
      const before =
        "Fill the fields at every throw site: source/core/Ky.ts (fetch attempt and body read pick the kind, others are totalTimeout) and source/utils/timeout.ts, which builds the per-attempt error";
      const text = `Good point, \`limit\` it is. So I would:\n\n1. **Give TimeoutError a \`limit\`** with \`option\` and \`milliseconds\`, and document it\n2. ${before}\n3. Test it\n   Verify: \`npx ava test/main.ts --match='TimeoutError#limit*'\`\n\nThat makes three steps.`;
      const talk = await rejected(asIs, { text });
      expect(talk.plan).toMatchObject({ version: 2, supersedes: 1, status: "proposed" });
      expect(talk.plan?.steps).toMatchObject([
        { description: "Give TimeoutError a `limit` with `option` and `milliseconds`, and document it" },
        {
          id: "throw-sites",
          description: before,
          onFail: "retry",
          checkpoint: { command: expect.stringContaining("! grep") },
        },
        {
          description: "Test it",
          checkpoint: { command: "npx ava test/main.ts --match='TimeoutError#limit*'" },
        },
      ]);
      expect(dataOf(talk.events, "proposal")).toEqual({ planVersion: 2, planHash: talk.plan?.hash });
    });

    test("with a model that forgets update_plan: it is reminded once, and then the person decides on the plan", async () => {
      const talk = await rejected(runnable, runnable(revised), submitted);
      play({ text: "All four are done." }, { text: "As I said." });
      const events = await talk.approve();
      expect(dataOf(events, "turn.done")).toMatchObject({ reason: "stop", steps: { over: 0, total: 4 } });
      expect(statusesOf(talk)?.[0]).toBe("error active");
    });

    test("with a model that reports three steps at once: they are taken in order, each with its check", async () => {
      const talk = await rejected(runnable, runnable(revised), submitted);
      const steps = ["error", "throw-sites", "tests"].map((id) => ({
        id,
        status: "done",
        note: `${id} is done`,
      }));
      play({ calls: [{ name: "update_plan", args: { steps } }] }, { text: "One is left." }, { text: "Yes." });
      const events = await talk.approve();
      expect(dataOf(events, "turn.done")).toMatchObject({ steps: { over: 3, total: 4 } });
      expect(reportsOf(talk).map(({ stepId, passed }) => [stepId, passed])).toEqual([
        ["error", true],
        ["throw-sites", true],
        ["tests", true],
      ]);
    });
  });
}
