import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { exitPlan, planned, setPlan } from "./planning.ts";
import type { Stage } from "./suite.ts";

export function describeApproval(stage: Stage): void {
  describe("approval", () => {
    test("reject with feedback plans again in one history; approval executes with the whole plan shown once", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      stage.model().play([{ calls: [setPlan("Write a better note UNIQUE-D")] }, { calls: [exitPlan] }]);
      const first = talk.plan;
      await talk.turn({
        type: "reject",
        planVersion: 1,
        feedback: "Make it better",
        comments: [{ stepId: "s1", text: "shorter" }],
      });
      expect(talk.messages.findLast((message) => message.role === "user")?.content).toBe(
        "Make it better\nOn step 1 (s1): shorter",
      );
      expect(talk.plan).toMatchObject({ version: 2, supersedes: 1, status: "proposed" });
      expect(talk.plan?.hash).not.toBe(first?.hash);

      stage
        .model()
        .play([
          { calls: [{ name: "write_file", args: { path: "note.txt", content: "hi\n", base: null } }] },
          { text: "Done." },
        ]);
      const events = await talk.approve();
      expect(names(events).slice(0, 5)).toEqual(["turn.started", "plan", "mode", "message", "message"]);
      expect(dataOf(events, "mode")).toMatchObject({ from: "plan", to: "normal" });
      expect(await stage.file(talk, "note.txt")).toBe("hi\n");

      const wire = stage.model().requests.at(-2)?.body.messages ?? [];
      const lastUser = wire.findLastIndex(({ role }) => role === "user");
      expect(wire[lastUser]?.content).toBe("Approved. Go ahead.");
      expect(wire[lastUser - 1]).toMatchObject({
        role: "user",
        content: expect.stringContaining("The person approved version 2."),
      });
      expect(String(wire[lastUser - 1]?.content)).toContain('<approved-plan version="2">');
      expect(String(wire[lastUser - 1]?.content)).toContain("edit_file");
      expect(JSON.stringify(wire).split("UNIQUE-D").length - 1).toBe(2);
      expect(wire.map(({ role }) => role).filter((role) => role === "system")).toHaveLength(1);
    });

    test("exit_plan is an unknown tool in execution", async () => {
      const talk = await stage.open([{ calls: [exitPlan] }, { text: "ok" }]);
      await talk.say("Go");
      expect(talk.result("exit_plan").content).toBe("error: unknown tool `exit_plan`");
    });

    test("a switch without approval says so; without a plan it carries none", async () => {
      const talk = await stage.open([...planned, { text: "ok" }], "plan");
      await talk.say("Plan it");
      talk.mode = "normal";
      await talk.say("What is this?");
      const wire = JSON.stringify(stage.model().requests.at(-1)?.body.messages);
      expect(wire).toContain("without approving version 1; do not start it unless their message asks for it");
      expect(wire).toContain("<proposed-plan");
      const other = await stage.open([{ text: "a" }, { text: "b" }], "plan");
      await other.say("Hello");
      other.mode = "normal";
      await other.say("Go on");
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).not.toMatch(
        /<(proposed|approved)-plan/,
      );
    });

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
        expect(await response.json()).toMatchObject({ error: { code: "stale_plan" } });
      }
      expect(stage.model().requests.length).toBe(before);
    });

    test("a proposal is decided by one turn only; the second is told which", async () => {
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
      const wire = JSON.stringify(stage.model().requests.at(-1)?.body.messages);
      expect(wire).toContain("The person approved version 2.");
      expect(wire).toContain("The person edited the plan: version 1 became version 2.");
    });

    test("an edited plan that does not parse is 400 with its line", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const broken = talk.plan && { ...talk.plan, markdown: `${talk.plan.markdown}\n# Nonsense heading\nx` };
      const response = await postTurn(
        stage.product(),
        talk.body({ type: "message", text: "see" }, { plan: broken }),
      );
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/line \d+/) } });
    });

    test("approve and hold starts nothing; the next message in normal mode says it was approved", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const before = stage.model().requests.length;
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const events = await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", hold: true });
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.plan?.status).toBe("approved");
      expect(stage.model().requests.length).toBe(before);
      stage.model().play([{ text: "Now." }]);
      talk.mode = "normal";
      await talk.say("Start now");
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).toContain(
        "The person approved version 1.",
      );
    });
  });
}
