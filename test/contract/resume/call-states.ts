// The reported states of the calls of one answer (queued, needs approval, running, checking), compared with
// the sandbox's journal.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ScriptedCall } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { exitPlan, setPlan, step, write } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";
import { follow } from "./turn-requests.ts";

const run = (id: string, command: string): ScriptedCall => ({ id, name: "run_command", args: { command } });
const untilGo = "until [ -e go ]; do sleep 0.02; done";

/** Six calls in one answer, of which the third and the fifth need approval. */
const batch: ScriptedCall[] = [
  { id: "c0", name: "read_file", args: { path: "package.json" } },
  run("c1", `${untilGo}; echo one >> log.txt`),
  run("c2", "rm -rf old; echo two >> log.txt"),
  { ...write("three.txt"), id: "c3" },
  run("c4", "git push origin main"),
  { id: "c5", name: "list_files", args: {} },
];

const startedIn = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.event === "tool.started" ? [event.data.toolCallId] : []));
const askedIn = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.event === "permission" ? [event.data.toolCallId] : []));

export function describeCallStates(stage: ResumeStage): void {
  describe("the calls of an answer", () => {
    test("six of them with two permissions: both are asked before any runs, and each call is announced when it runs", async () => {
      const talk = await stage.open([{ calls: batch }]);
      const body = talk.body({ type: "message", text: "Go" });
      const { sandboxId, turnId } = body;
      const keys = (...ordinals: number[]) => ordinals.map((ordinal) => `${turnId}/0/${ordinal}`);
      const events: TurnEvent[] = [];
      for await (const event of eventsOf(await postTurn(stage.product(), body))) {
        events.push(event);
        talk.keep(event);
        if (event.event !== "tool.started") continue;
        expect(askedIn(events)).toEqual(["c2", "c4"]);
        if (event.data.toolCallId !== "c1") continue;
        // The command waits for `go`, so everything that has begun is reported by then.
        expect(await stage.begun({ sandboxId, turnId })).toEqual(keys(0, 1));
        for await (const told of eventsOf(await follow(stage.other(), { sandboxId, turnId })))
          if (told.event === "tool.started" && told.data.toolCallId === "c1") {
            expect(told.data).toEqual(event.data);
            break;
          }
        await stage.go(sandboxId);
      }
      expect(startedIn(events)).toEqual(["c0", "c1"]);
      expect(dataOf(events, "turn.done").reason).toBe("permission");
      expect(await stage.begun({ sandboxId, turnId })).toEqual(keys(0, 1));

      stage.model().play([{ text: "ok" }]);
      const before = stage.model().requests.length;
      const permit = talk.body({
        ...{ type: "permit", toolCallId: "c2", decision: "once" },
        others: [{ toolCallId: "c4", decision: "deny", text: "not yet" }],
      });
      const after = await collect(eventsOf(await postTurn(stage.product(), permit)));
      for (const event of after) talk.keep(event);
      expect(askedIn(after)).toEqual([]);
      expect(startedIn(after)).toEqual(["c2", "c3", "c5"]);
      expect(await stage.begun({ sandboxId, turnId: permit.turnId })).toEqual(keys(2, 3, 5));
      const followed = await collect(
        eventsOf(await follow(stage.other(), { sandboxId, turnId: permit.turnId })),
      );
      expect(startedIn(followed)).toEqual(["c2", "c3", "c5"]);
      expect(stage.model().requests.length).toBe(before + 1);
      const results = talk.messages.flatMap((message) => (message.role === "tool" ? [message] : []));
      expect(results.map(({ toolCallId, ok }) => `${toolCallId} ${ok}`)).toEqual([
        "c0 true",
        "c1 true",
        "c2 true",
        "c3 true",
        "c4 false",
        "c5 true",
      ]);
      expect(results[4]?.content).toContain("denied by the person: not yet");
      expect(await stage.file(talk, "log.txt")).toBe("one\ntwo\n");
    });

    test("a decision on one of them alone: the others are asked again, and no decision counts for another answer", async () => {
      const talk = await stage.open([{ calls: [run("r1", "rm -rf one"), run("r2", "rm -rf two")] }]);
      expect(askedIn(await talk.say("Clean"))).toEqual(["r1", "r2"]);
      const again = await talk.turn({ type: "permit", toolCallId: "r1", decision: "deny" });
      expect(askedIn(again)).toEqual(["r2"]);
      expect(dataOf(again, "turn.done").reason).toBe("permission");
      const others = [{ toolCallId: "r1", decision: "once" as const }];
      const twice = talk.body({ type: "permit", toolCallId: "r2", decision: "once", others });
      expect((await postTurn(stage.product(), twice)).status).toBe(400);
      stage.model().play([{ text: "ok" }]);
      const end = await talk.turn({ type: "permit", toolCallId: "r2", decision: "once" });
      expect(startedIn(end)).toEqual(["r2"]);
    });

    test("a step's check is announced when it begins, with its command and its limit", async () => {
      const checkpoint = { command: `${untilGo}; echo checked`, timeoutMs: 40_000 };
      const talk = await stage.open(
        [{ calls: [setPlan("Do it", [{ id: "s1", description: "Write", checkpoint }]), exitPlan] }],
        "plan",
      );
      await talk.say("Plan");
      stage
        .model()
        .play([{ calls: [{ ...step("s1", "done", "wrote it"), id: "report" }] }, { text: "Done." }]);
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const body = talk.body({ type: "approve", planVersion, planHash, mode: "normal" });
      const checks: unknown[] = [];
      let printed = "";
      for await (const event of eventsOf(await postTurn(stage.product(), body))) {
        if (event.event === "tool.output" && event.data.toolCallId === "report") printed += event.data.text;
        if (event.event !== "tool.started") continue;
        checks.push(event.data);
        await stage.go(body.sandboxId);
      }
      expect(checks).toEqual([
        {
          toolCallId: "report",
          at: expect.any(Number),
          check: { command: checkpoint.command, limitMs: 40_000 },
        },
      ]);
      expect(printed).toBe("checked\n");
    });
  });
}
