import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { lastWire, planned } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeApproval(stage: Stage): void {
  describe("approval", () => {
    test("approving a version or hash that is not the newest is 409 stale_plan, and nothing starts", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const before = stage.model().requests.length;
      for (const wrong of [
        { planVersion: 2, planHash: talk.plan?.hash ?? "" },
        { planVersion: 1, planHash: "0".repeat(64) },
      ]) {
        const response = await postTurn(
          stage.product(),
          talk.body({ type: "approve", mode: "normal", ...wrong }),
        );
        expect(response.status).toBe(409);
        expect(await response.json()).toMatchObject({
          error: { code: "stale_plan", details: { planVersion: 1, planHash: talk.plan?.hash } },
        });
      }
      expect(stage.model().requests.length).toBe(before);
    });

    test("only one turn decides on a proposal; the second is told which", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const stale = { messages: talk.messages, plan: talk.plan, mode: talk.mode };
      stage.model().play([{ text: "Working." }]);
      const won = dataOf(await talk.approve(), "turn.started").turnId;
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const response = await postTurn(
        stage.product(),
        talk.body({ type: "approve", planVersion, planHash, mode: "normal" }, stale),
      );
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({
        error: { code: "stale_plan", details: { turnId: won } },
      });
    });

    test("comments on steps and on any text reach the model with the approval; a removed step is named", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const comments = [
        { stepId: "s1", text: "Use British spelling" },
        { stepId: "s9", text: "I took this out" },
        { quote: "Write a note", text: "A short one" },
      ];
      stage.model().play([{ text: "Working." }]);
      const said = { feedback: "Mind the tests", comments };
      await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", ...said });
      expect(talk.plan?.status).toBe("executing");
      const words = talk.messages.findLast(({ role }) => role === "user")?.content;
      expect(words).toBe(
        [
          "Approved. Go ahead. But mind:",
          "Mind the tests",
          "On step 1 (s1): Use British spelling",
          "On step s9, which the plan no longer has: I took this out",
          "On “Write a note”: A short one",
        ].join("\n"),
      );
      expect(lastWire(stage)).toContain("On step 1 (s1): Use British spelling");
    });

    test("comments on a plan that is approved for later are read when it begins", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const before = stage.model().requests.length;
      const comments = [{ stepId: "s1", text: "Use British spelling" }];
      await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", hold: true, comments });
      expect(stage.model().requests.length).toBe(before);
      stage.model().play([{ text: "Working." }]);
      await talk.turn({ type: "message", text: "Start the plan." }, { mode: "normal" });
      expect(lastWire(stage)).toContain("On step 1 (s1): Use British spelling");
    });

    test("a plan that the person edited is the next version, and approving it is one tap", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const edited = talk.plan && {
        ...talk.plan,
        markdown: talk.plan.markdown.replace("Write note.txt", "Write NOTE.txt by hand"),
      };
      stage.model().play([{ text: "Working." }]);
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      await talk.turn({ type: "approve", planVersion, planHash, mode: "auto" }, { plan: edited });
      expect(talk.plan).toMatchObject({ version: 2, source: "person", status: "executing" });
      expect(talk.mode).toBe("auto");
      expect(lastWire(stage)).toContain("The person approved version 2.");
      expect(lastWire(stage)).toContain("The person edited the plan: version 1 became version 2.");
    });

    test("an approval bound to another text than the one that would run is refused", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const approval = { type: "approve", planVersion, planHash, mode: "auto" } as const;
      const text = talk.plan?.markdown ?? "";
      const plan = talk.plan && { ...talk.plan, markdown: text.replace("test -f note.txt", "npm test") };
      const send = async (more: object, posted: typeof plan) =>
        (await postTurn(stage.product(), talk.body({ ...approval, ...more }, { plan: posted }))).json();
      const before = stage.model().requests.length;
      const other = { error: { code: "stale_plan", details: { field: "input.planText" } } };
      expect(await send({ planText: text }, plan)).toMatchObject(other);
      expect(await send({ planText: plan?.markdown }, talk.plan)).toMatchObject(other);
      expect(await send({ planText: text, hold: true }, plan)).toMatchObject(other);
      expect(stage.model().requests.length).toBe(before);
    });

    test("an edited plan that would lose a check is 400 and names the line", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const markdown = talk.plan?.markdown.replace("- check:", "- check") ?? "";
      const broken = talk.plan && { ...talk.plan, markdown };
      const response = await postTurn(
        stage.product(),
        talk.body({ type: "message", text: "see" }, { plan: broken }),
      );
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/line \d+/) } });
    });

    test("a client that lost its plan is told so, and nothing starts; a new conversation may begin", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const before = stage.model().requests.length;
      const lost = await postTurn(
        stage.product(),
        talk.body({ type: "message", text: "Hm" }, { plan: null }),
      );
      expect(lost.status).toBe(409);
      expect(await lost.json()).toMatchObject({
        error: { code: "stale_plan", details: { planVersion: 1, planHash: talk.plan?.hash } },
      });
      expect(stage.model().requests.length).toBe(before);
      stage.model().play([{ text: "Hello." }]);
      await talk.turn({ type: "message", text: "Hi" }, { plan: null, messages: [] });
      expect(stage.model().requests.length).toBe(before + 1);
    });

    test("rejecting an already approved plan is 409, with the turn that approved it", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const stale = { messages: talk.messages, plan: talk.plan, mode: talk.mode };
      stage.model().play([{ text: "Working." }]);
      await talk.approve();
      const response = await postTurn(
        stage.product(),
        talk.body({ type: "reject", planVersion: 1, feedback: "No" }, stale),
      );
      expect([response.status, (await response.json()).error.code]).toEqual([409, "stale_plan"]);
    });

    test("an answer does not propose a rejected plan again, but a new plan in its text replaces it", {
      tags: "long",
    }, async () => {
      const reject = { type: "reject", planVersion: 1, feedback: "Not that way" } as const;
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan");
      stage.model().play([{ text: "I see two ways:\n1. Ask first\n2. Guess" }]);
      expect(dataOf(await talk.turn(reject), "turn.done").reason).toBe("stop");
      expect(talk.plan).toMatchObject({ version: 1, status: "draft" });

      const worded = await stage.open([{ text: "# Plan\n\n1. Read\n2. Guess" }], "plan");
      await worded.say("Plan");
      stage.model().play([{ text: "# Plan\n\n1. Read\n2. Test" }]);
      expect(dataOf(await worded.turn(reject), "turn.done").reason).toBe("proposed");
      expect(worded.plan).toMatchObject({ version: 2, supersedes: 1, status: "proposed" });
      expect(worded.plan?.steps[1]?.description).toBe("Test");
    });

    test("answers in later turns do not propose a rejected plan again, unless a plan is asked for", {
      tags: "long",
    }, async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan");
      stage.model().play([{ text: "I see." }]);
      await talk.turn({ type: "reject", planVersion: 1, feedback: "Not that way" });
      for (const input of [
        { type: "message", text: "Which way is quicker?" } as const,
        { type: "continue" } as const,
      ]) {
        stage.model().play([{ text: "The other one." }]);
        expect(dataOf(await talk.turn(input), "turn.done").reason).toBe("stop");
        expect(talk.plan).toMatchObject({ version: 1, status: "draft" });
      }
      stage.model().play([{ text: "It stands." }]);
      expect(dataOf(await talk.turn({ type: "replan" }), "turn.done").reason).toBe("proposed");
    });

    test("an answer in a later turn proposes a rejected plan that has changed since", {
      tags: "long",
    }, async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan");
      stage.model().play([{ text: "I see." }]);
      await talk.turn({ type: "reject", planVersion: 1, feedback: "Not that way" });
      const change = { name: "update_plan", args: { steps: [{ id: "s1", description: "Write it twice" }] } };
      stage.model().play([{ calls: [change] }, { text: "So?" }]);
      expect(dataOf(await talk.say("Twice, please"), "turn.done").reason).toBe("proposed");
    });

    test("approve and hold starts nothing; the next message in normal mode says it was approved", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const before = stage.model().requests.length;
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const approval = { type: "approve" as const, planVersion, planHash, mode: "normal" as const };
      const events = await talk.turn({ ...approval, hold: true });
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.plan?.status).toBe("approved");
      expect(stage.model().requests.length).toBe(before);
      stage.model().play([{ text: "Now." }]);
      talk.mode = "normal";
      await talk.say("Start now");
      expect(lastWire(stage)).toContain("The person approved version 1.");
    });
  });
}
