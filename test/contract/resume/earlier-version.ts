// A turn that an earlier version of Handrail began and this version continues. Its journal decides how its
// steps are handled.
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { hashInput } from "../../../functions/turn/claim.ts";
import type { Message } from "../../../shared/message.ts";
import { TurnRequest } from "../../../shared/turn.ts";
import { dataOf, names } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { exitPlan, setPlan, statusesOf } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";

export function describeEarlierVersion(stage: ResumeStage): void {
  describe("a turn that an earlier version began", () => {
    test("resumes as its journal says: no step begins by itself, and no report is judged again", async () => {
      const steps = ["Write", "Test", "Rest"];
      const talk = await stage.open([{ calls: [setPlan("Do it", steps), exitPlan] }], "plan");
      await talk.say("Plan");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const body = talk.body({ type: "approve", planVersion, planHash, mode: "normal" });
      const args = JSON.stringify({ steps: [{ id: "s2", status: "done", note: "first" }] });
      const common = { createdAt: 1, mode: "normal" } as const;
      const call = { id: "old-1", name: "update_plan", arguments: args };
      const messages: Message[] = [
        { ...common, id: `${body.turnId}.user`, role: "user", content: "Approved. Go ahead." },
        {
          ...common,
          id: `${body.turnId}.0.x`,
          role: "assistant",
          content: "",
          toolCalls: [call],
          finish: "tool_calls",
        },
        {
          ...common,
          id: "old-1.result",
          role: "tool",
          toolCallId: "old-1",
          name: "update_plan",
          ok: true,
          content: "Step s2 done.",
        },
      ];
      const [user, said, result] = messages.map((message) => ({ event: "message", data: { message } }));
      const model = { provider: "default", id: "scripted" };
      const record = [
        {
          event: "turn.started",
          data: { turnId: body.turnId, mode: "normal", model, toolProtocol: "native", format: 1 },
        },
        { event: "plan", data: { plan: { ...talk.plan, status: "executing" } } },
        { event: "mode", data: { from: "plan", to: "normal", reason: "approved by the person" } },
        { event: "message", data: { message: { ...messages[0], id: `${body.turnId}.switch` } } },
        user,
        said,
        { event: "step", data: { stepId: "s2", status: "done", note: "first" } },
        result,
      ].map((event, index) => ({ id: index + 1, ...event }));
      const claim = {
        epoch: 1,
        inputHash: await hashInput(z.parse(TurnRequest, body)),
        resolves: `proposal:${planVersion}:${planHash}`,
        context: { planRounds: 12, runRounds: 100, contextWindow: 4_000_000 },
        record,
      };
      const path = `/v1/sandboxes/${talk.sandboxId}/turns/${body.turnId}/claim`;
      const claimed = await stage.ask(talk.sandboxId, path, {
        method: "POST",
        body: JSON.stringify(claim),
      });
      expect(claimed.status).toBe(200);
      stage.model().play([{ text: "ok" }]);
      const events = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      for (const event of events) talk.keep(event);
      expect(names(events)).toEqual([
        "turn.started",
        "plan",
        "mode",
        "message",
        "message",
        "message",
        "step",
        "message",
        ...["message", "turn.done"],
      ]);
      expect(statusesOf(talk)).toEqual(["s1 pending", "s2 done", "s3 pending"]);
      // The next turn belongs to this version.
      await talk.turn({ type: "continue" });
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 done", "s3 pending"]);
    });

    test("opens as its journal says, though this version would open it differently", async () => {
      const talk = await stage.open([{ text: "ok" }]);
      const body = talk.body({ type: "message", text: "Hello" });
      const common = { createdAt: 1, mode: "normal" } as const;
      const event = { subkind: "system_notice", source: "other_version", data: {} };
      const notice: Message = {
        ...common,
        ...{ id: `${body.turnId}.notice`, role: "event", content: "Looked first.", extra: { event } },
      };
      const user: Message = { ...common, id: `${body.turnId}.user`, role: "user", content: "Hello" };
      const model = { provider: "default", id: "scripted" };
      const started = { turnId: body.turnId, mode: "normal", model, toolProtocol: "native", format: 1 };
      const record = [
        { event: "turn.started", data: started },
        ...[notice, user].map((message) => ({ event: "message", data: { message } })),
      ].map((made, index) => ({ id: index + 1, ...made }));
      const claim = {
        epoch: 1,
        inputHash: await hashInput(z.parse(TurnRequest, body)),
        context: { planRounds: 12, runRounds: 100, contextWindow: 4_000_000, opening: record.length },
        record,
      };
      const path = `/v1/sandboxes/${talk.sandboxId}/turns/${body.turnId}/claim`;
      const claimed = await stage.ask(talk.sandboxId, path, {
        method: "POST",
        body: JSON.stringify(claim),
      });
      expect(claimed.status).toBe(200);
      const events = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      expect(names(events)).toEqual(["turn.started", "message", "message", "message", "turn.done"]);
      for (const made of events) talk.keep(made);
      expect(talk.messages.map(({ role }) => role)).toEqual(["event", "user", "assistant"]);
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).toContain("Looked first.");
    });
  });
}
