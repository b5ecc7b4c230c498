import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { answersTo, askColour, setPlan } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow, stop } from "./turn-requests.ts";

/** A command that only a stop ends. */
const endless = { id: "endless", name: "run_command", args: { command: "echo began; sleep 1000" } };
const list = { name: "list_files", args: {} };

/** Stop in every state of a turn. The models and commands of these tests end only by a stop. */
export function describeStopping(stage: ResumeStage): void {
  /** Reads the stream, stops the turn at the first live output, and returns the durable events. */
  async function stopAtOutput(
    talk: Conversation,
    response: Response,
    at = stage.product(),
  ): Promise<TurnEvent[]> {
    const events: TurnEvent[] = [];
    let stopped: Promise<Response> | undefined;
    for await (const event of eventsOf(response)) {
      events.push(event);
      talk.keep(event);
      if (event.event === "tool.output" && !stopped) {
        const { turnId } = dataOf(talk.events, "turn.started");
        stopped = stop(at, { sandboxId: talk.sandboxId, turnId });
      }
    }
    expect((await stopped)?.status).toBe(202);
    return events.filter((event) => "id" in event);
  }

  /** The message of the stop about the answer that was cut off. */
  const cutIn = ({ messages }: Conversation) =>
    messages.find(
      (message) => message.role === "event" && message.extra.event.subkind === "cancellation_note",
    )?.content;

  /** Checks that every call has its result and that the next turn accepts the history. */
  async function expectUsable(talk: Conversation, calls: number): Promise<void> {
    expect(dataOf(talk.events, "turn.done").reason).toBe("stopped");
    expect(talk.messages.filter(({ role }) => role === "tool")).toHaveLength(calls);
    stage.model().play([{ text: "on" }]);
    expect(dataOf(await talk.say("Go on"), "turn.done").reason).toBe("stop");
  }

  describe("stop", () => {
    test("ends the model's stream, keeps what was written, and is durable", async () => {
      const talk = await stage.open([{ text: "half an answer", stall: true }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Talk" });
      const events: TurnEvent[] = [];
      for await (const event of eventsOf(await postTurn(stage.product(), body))) {
        events.push(event);
        talk.keep(event);
        if (event.event === "text.delta" && event.data.delta.includes("half"))
          expect((await stop(stage.product(), body)).status).toBe(202);
      }
      await stage.model().abandoned(before + 1);
      expect(talk.messages.find(({ role }) => role === "assistant")).toMatchObject({
        content: expect.stringContaining("half"),
        finish: "aborted",
      });
      const durable = events.filter((event) => "id" in event);
      expect(await durableOf(follow(stage.product(), body))).toEqual(durable);
      expect(await durableOf(postTurn(stage.other(), { ...body, attempt: 2 }))).toEqual(durable);
      expect(cutIn(talk)).toContain("Your answer was cut off");
      await expectUsable(talk, 0);
    });

    test("ends a turn whose model has sent nothing yet", async () => {
      const talk = await stage.open([{ hang: true }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Talk" });
      const reading = postTurn(stage.product(), body).then((response) => collect(eventsOf(response)));
      await stage.model().request(before + 1);
      expect((await stop(stage.product(), body)).status).toBe(202);
      for (const event of await reading) talk.keep(event);
      await stage.model().abandoned(before + 1);
      await expectUsable(talk, 0);
    });

    test("kills a running command, and every call has its result", async () => {
      const talk = await stage.open([{ calls: [endless, list] }]);
      await stopAtOutput(talk, await postTurn(stage.product(), talk.body({ type: "message", text: "Wait" })));
      expect(cutIn(talk)).toMatch(
        /^Cut while it ran: run_command `echo began; sleep 1000`\. It may have been done in part.*\nNot begun.*: list_files\.$/m,
      );
      expect(talk.result("run_command").content).toMatch(
        /^error: Stopped.*\nIts output until then:\nbegan$/s,
      );
      expect(talk.result("list_files").content).toBe(
        "not run: the person stopped the turn before this began",
      );
      await expectUsable(talk, 2);
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).toContain("cancellation_note");
    });

    test("and posted again before what it cut has its result, the turn never says that something that ran did not", async () => {
      const command = "trap '' TERM; echo began; while :; do sleep 0.1; done";
      const talk = await stage.open([{ calls: [{ name: "run_command", args: { command } }] }]);
      const body = talk.body({ type: "message", text: "Wait" });
      const running = collect(eventsOf(await postTurn(stage.product(), body)));
      await expect.poll(() => stage.begun(body)).toHaveLength(1);
      const stopped = stop(stage.other(), body);
      for (const event of await collect(eventsOf(await postTurn(stage.other(), { ...body, attempt: 2 }))))
        talk.keep(event);
      expect((await stopped).status).toBe(202);
      expect(talk.result("run_command").content).toMatch(/stopped/i);
      expect(talk.result("run_command").content).not.toContain("not run");
      await running;
      await expectUsable(talk, 1);
    });

    test.each(["its own process", "another process"])(
      "read by %s names exactly what it cut: no call that failed before by itself, and the check of a step that stays active",
      { tags: "long" },
      async (by) => {
        const at = by === "another process" ? stage.other() : stage.product();
        const missing = { name: "read_file", args: { path: "not-there.txt" } };
        const talk = await stage.open([{ calls: [missing, endless] }]);
        await stopAtOutput(
          talk,
          await postTurn(stage.product(), talk.body({ type: "message", text: "Wait" })),
          at,
        );
        expect(talk.result("read_file").ok).toBe(false);
        expect(cutIn(talk)).toContain("Cut while it ran: run_command `echo began; sleep 1000`. It");

        const checkpoint = { command: endless.args.command };
        const plan = setPlan("Write", [{ id: "s1", description: "Write", checkpoint, onFail: "rollback" }]);
        const done = { steps: [{ id: "s1", status: "done", note: "wrote" }] };
        const other = await stage.open([
          { calls: [plan, { name: "update_plan", args: { steps: [{ id: "s1", status: "active" }] } }] },
          { calls: [{ name: "update_plan", args: done }] },
        ]);
        const body = other.body({ type: "message", text: "Go" });
        const running = durableOf(postTurn(stage.product(), body));
        await expect.poll(() => stage.begun(body)).toContain(`${body.turnId}/1/0/cp`);
        expect((await stop(at, body)).status).toBe(202);
        for (const event of await running) other.keep(event);
        expect(cutIn(other)).toContain(
          "Cut while it ran: update_plan in its check `echo began; sleep 1000`. It",
        );
        expect(other.result("update_plan").content).toContain("Not checked: the check was stopped");
        expect(other.plan?.steps).toMatchObject([{ status: "active" }]);
      },
    );

    test("cuts a check that runs without a report, and says so", { tags: "long" }, async () => {
      const checkpoint = { command: endless.args.command };
      const steps = [{ id: "s1", description: "Run the tests", checkpoint }, "Rest"];
      const talk = await stage.open([{ calls: [setPlan("Test", steps)] }, { text: "never" }], "auto");
      const body = talk.body({ type: "message", text: "Go" });
      const running = durableOf(postTurn(stage.product(), body));
      await expect.poll(() => stage.begun(body)).toContain(`${body.turnId}/1/checked/cp`);
      expect((await stop(stage.other(), body)).status).toBe(202);
      for (const event of await running) talk.keep(event);
      expect(cutIn(talk)).toContain(
        "Cut while it ran: a check that ran without your report, `echo began; sleep 1000`. It",
      );
      expect(cutIn(talk)).not.toContain("Nothing was cut");
      expect(cutIn(talk)).toContain(
        "Step s1 was active and is not finished. Not checked: the check was stopped",
      );
    });

    test("works on a turn that a permit has resumed", { tags: "long" }, async () => {
      const command = "rm -rf old; echo began; sleep 1000";
      const talk = await stage.open([{ calls: [{ ...endless, args: { command } }, list] }]);
      await talk.say("Clean");
      const permit = talk.body({ type: "permit", toolCallId: "endless", decision: "once" });
      await stopAtOutput(talk, await postTurn(stage.product(), permit));
      await expectUsable(talk, 2);
    });

    test("works on a turn that was claimed again", { tags: "long" }, async () => {
      const talk = await stage.open([{ calls: [endless, list] }]);
      const body = talk.body({ type: "message", text: "Wait" });
      const first = await postTurn(stage.product(), body);
      for await (const event of eventsOf(first)) if (event.event === "tool.output") break;
      await stopAtOutput(talk, await postTurn(stage.other(), { ...body, attempt: 2 }), stage.other());
      await expectUsable(talk, 2);
    });

    test("read by another process than the runner's, kills the command and ends the runner", async () => {
      const talk = await stage.open([{ calls: [endless, list] }]);
      const response = await postTurn(stage.product(), talk.body({ type: "message", text: "Wait" }));
      const durable = await stopAtOutput(talk, response, stage.other());
      const { turnId } = dataOf(talk.events, "turn.started");
      const { sandboxId } = talk;
      expect(await durableOf(follow(stage.other(), { sandboxId, turnId }))).toEqual(durable);
      await expectUsable(talk, 2);
    });

    test("read by another process while the model is silent, is in the journal at once", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([{ text: "late", hold: passed }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Talk" });
      const running = durableOf(postTurn(stage.product(), body));
      await stage.model().request(before + 1);
      expect((await stop(stage.other(), body)).status).toBe(202);
      const stopped = await durableOf(follow(stage.other(), body));
      expect(dataOf(stopped, "turn.done").reason).toBe("stopped");
      open();
      expect(await running).toEqual(stopped);
    });

    test("changes nothing where a turn waits for answers or a permission: neither its end nor the question changes", {
      tags: "long",
    }, async () => {
      const asks = { calls: [askColour("q1", { summary: "s" })] };
      const removes = { calls: [{ id: "rm", name: "run_command", args: { command: "rm -rf old" } }] };
      for (const reply of [asks, removes]) {
        const talk = await stage.open([reply]);
        const before = await talk.say("Begin");
        const { turnId } = dataOf(talk.events, "turn.started");
        const turn = { sandboxId: talk.sandboxId, turnId };
        expect((await stop(stage.product(), turn)).status).toBe(202);
        expect((await stop(stage.other(), turn)).status).toBe(202);
        expect(await durableOf(follow(stage.other(), turn))).toEqual(before.filter((event) => "id" in event));
        stage.model().play([{ text: "on" }]);
        const next =
          reply === asks
            ? await talk.turn({ type: "answers", toolCallId: "q1", answers: answersTo("1"), run: false })
            : await talk.turn({ type: "permit", toolCallId: "rm", decision: "once" });
        expect(dataOf(next, "turn.done").reason).toBe("stop");
      }
    });

    /**
     * A plan of one step that has written a file. The file is being restored, and the answer is withheld
     * until `release`.
     */
    async function goingBack() {
      const talk = await stage.open([
        { calls: [setPlan("Write", [{ id: "s1", description: "Write" }])] },
        { calls: [{ name: "update_plan", args: { steps: [{ id: "s1", status: "active" }] } }] },
        { calls: [{ name: "write_file", args: { path: "made.txt", content: "x\n", base: null } }] },
        { calls: [{ name: "update_plan", args: { steps: [{ id: "s1", status: "done", note: "wrote" }] } }] },
        { text: "Done." },
      ]);
      await talk.say("Go");
      expect(talk.plan?.steps).toMatchObject([{ status: "done" }]);
      const body = talk.body({ type: "rewind", stepId: "s1" });
      const release = stage.wire().keepBack("/calls");
      const running = durableOf(postTurn(stage.product(), body));
      await expect.poll(() => stage.results(body)).toEqual([`${body.turnId}/0/rewind`]);
      return { talk, body, release, running };
    }

    /** Checks that files and plan agree, and that the history gives the reason. */
    async function expectBack(talk: Conversation, events: readonly TurnEvent[]): Promise<void> {
      for (const event of events) talk.keep(event);
      expect(dataOf(events, "turn.done").reason).toBe("stopped");
      expect(talk.plan).toMatchObject({ status: "executing", steps: [{ status: "pending" }] });
      expect(talk.messages.at(-1)?.content).toContain("went back to before step 1");
      expect(await stage.file(talk, "made.txt")).toBeUndefined();
    }

    test("of a rewind whose files are already restored: the plan says so too, whoever writes the end", {
      tags: "long",
    }, async () => {
      const { talk, body, release, running } = await goingBack();
      const before = stage.wire().requests.length;
      const stopped = stop(stage.other(), body);
      await expect.poll(() => stage.wire().requests.slice(before).join()).toContain("/stop");
      release();
      expect((await stopped).status).toBe(202);
      const events = await durableOf(follow(stage.other(), body));
      await expectBack(talk, events);
      expect(await running).toEqual(events);
    });

    test("of a rewind, sent to its own runner", { tags: "long" }, async () => {
      const { talk, body, release, running } = await goingBack();
      const before = stage.wire().requests.length;
      const stopped = stop(stage.product(), body);
      await expect.poll(() => stage.wire().requests.slice(before).join()).toContain("/stop");
      release();
      expect((await stopped).status).toBe(202);
      await expectBack(talk, await running);
    });

    test("before its turn starts asks no model", { tags: "long" }, async () => {
      const talk = await stage.open([{ text: "never" }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Hi" });
      expect((await stop(stage.other(), body)).status).toBe(202);
      const events = await collect(eventsOf(await postTurn(stage.product(), body)));
      expect(dataOf(events, "turn.done").reason).toBe("stopped");
      expect(stage.model().requests.length).toBe(before);
    });
  });
}
