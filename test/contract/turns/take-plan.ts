// A text or a file that the person takes as the plan. It waits for their approval, and no model is called.
import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { lastWire, planned, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const answer = "I would do it so:\n\n1. Write note.txt\n2. Write the docs\n\nShall I?";

export function describeTakePlan(stage: Stage): void {
  describe("take this as the plan", () => {
    test("an answer in plan mode is proposed with its steps, without a model, and runs once it is approved", async () => {
      const talk = await stage.open([{ text: "Which note?" }], "plan");
      await talk.say("Think about a note");
      const asked = stage.model().requests.length;
      const events = await talk.turn({ type: "take_plan", text: answer });
      expect(stage.model().requests.length).toBe(asked);
      expect(names(events).slice(-3)).toEqual(["message", "proposal", "turn.done"]);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "proposed", rounds: 0 });
      expect(talk.plan).toMatchObject({ version: 1, status: "proposed", source: "person" });
      expect(talk.plan?.steps.map(({ description }) => description)).toEqual([
        "Write note.txt",
        "Write the docs",
      ]);
      stage.model().play([{ text: "Working." }, { text: "Still." }]);
      await talk.approve();
      expect(talk.plan?.status).toBe("executing");
      expect(lastWire(stage)).toContain("The person approved version 1.");
    });

    test("a Markdown file of the repository is taken, in place of a waiting proposal", async () => {
      const file = "# Faster start\n\n## Steps\n\n1. Measure the start\n2. Load less\n";
      const talk = await stage.open([{ calls: [write("plans/start.md", file)] }, { text: "ok" }]);
      await talk.say("Write it");
      stage.model().play(planned);
      talk.mode = "plan";
      await talk.say("Plan it");
      const old = dataOf(talk.events, "proposal");
      await talk.turn({ type: "take_plan", path: "plans/start.md" });
      expect(talk.plan).toMatchObject({ version: 2, status: "proposed" });
      expect(talk.plan?.steps.map(({ description }) => description)).toEqual([
        "Measure the start",
        "Load less",
      ]);
      expect(talk.messages.findLast(({ role }) => role === "user")?.content).toBe(
        "Take plans/start.md as the plan.",
      );
      const late = await postTurn(stage.product(), talk.body({ type: "approve", ...old, mode: "normal" }));
      expect(late.status).toBe(409);
    });

    test("an edit by the person sent with it is a version of its own, before the one that is taken", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const plan = talk.plan && {
        ...talk.plan,
        markdown: talk.plan.markdown.replace("Write note.txt", "Write NOTE.txt"),
      };
      await talk.turn({ type: "take_plan", text: answer }, { plan });
      const versions = talk.messages.flatMap((message) =>
        message.role === "plan" ? [message.extra.plan.version] : [],
      );
      expect(versions).toEqual([1, 2, 3]);
      expect(talk.plan).toMatchObject({ version: 3, supersedes: 2, status: "proposed" });
      stage.model().play([{ text: "Working." }, { text: "Still." }]);
      await talk.approve();
      expect(talk.plan?.status).toBe("executing");
    });

    test("without a text, from a missing file, or during an unfinished plan it is 400, with the reason", async () => {
      const talk = await stage.open(planned, "plan");
      const refused = async (input: { text?: string; path?: string }) => {
        const body = talk.body({ type: "take_plan", ...input });
        const response = await postTurn(stage.product(), body);
        return [response.status, (await response.json()).error.message];
      };
      expect(await refused({ text: " " })).toEqual([400, expect.stringContaining("no text to take")]);
      expect(await refused({ path: "plans/none.md" })).toEqual([
        400,
        expect.stringContaining("plans/none.md"),
      ]);
      await talk.say("Plan it");
      stage.model().play([{ text: "Working." }, { text: "Still." }]);
      await talk.approve();
      expect(await refused({ text: answer })).toEqual([400, expect.stringContaining("under way")]);
    });
  });
}
