// Messages that a person sends during a turn: the model reads each after the current call, and only once,
// whichever process runs the turn.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { dataOf, durable } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { authorized, collect, eventsOf, postTurn, type Target } from "../../harness/sse.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow } from "./turn-requests.ts";

const waiting = {
  id: "w1",
  name: "run_command",
  args: { command: "until [ -e go ]; do sleep 0.02; done; echo ran" },
};
const later = { id: "w2", name: "run_command", args: { command: "echo later >> log.txt" } };

export function describeSteering(stage: ResumeStage): void {
  const steer = (
    target: Target,
    { sandboxId, turnId }: { sandboxId: string; turnId: string },
    body: unknown,
  ) =>
    fetch(`${target.url}/api/turns/${sandboxId}/${turnId}/steer`, {
      method: "POST",
      headers: { ...authorized(target.token), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const said = (events: readonly TurnEvent[]) =>
    events.flatMap((event) =>
      event.event === "message" && event.data.message.role === "user" ? [event.data.message.content] : [],
    );

  describe("words for a running turn", () => {
    test("reach the model after the running call, from another process, once; calls that had not begun do not run", async () => {
      const talk = await stage.open([{ calls: [waiting, later] }, { text: "I see." }]);
      const body = talk.body({ type: "message", text: "Go" });
      const words = { id: "q1", text: "Leave the log alone." };
      const events: TurnEvent[] = [];
      for await (const event of eventsOf(await postTurn(stage.product(), body))) {
        events.push(event);
        talk.keep(event);
        if (event.event !== "tool.started") continue;
        // The message is sent twice, as by a phone that got no answer, to a process that does not run the
        // turn.
        for (let sent = 0; sent < 2; sent += 1)
          expect((await steer(stage.other(), body, words)).status).toBe(202);
        expect((await steer(stage.other(), body, { ...words, text: "Other words" })).status).toBe(422);
        await stage.go(body.sandboxId);
      }
      expect(said(events)).toEqual(["Go", words.text]);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
      expect(await stage.begun(body)).toEqual([`${body.turnId}/0/0`]);
      expect(await stage.file(talk, "log.txt")).toBeUndefined();
      const results = talk.messages.flatMap((message) => (message.role === "tool" ? [message] : []));
      expect(results.map(({ ok, content }) => [ok, content.split("\n", 1)[0]])).toEqual([
        [true, "exit 0"],
        [
          false,
          "error: Not run: the person said something meanwhile. Read it; call this again if it is still wanted.",
        ],
      ]);
      const wire = stage.model().requests.at(-1)?.body.messages ?? [];
      expect(wire.at(-1)).toMatchObject({ role: "user", content: words.text });
      expect(await durableOf(follow(stage.other(), body))).toEqual(durable(events));
      expect((await steer(stage.product(), body, { id: "q2", text: "Too late" })).status).toBe(409);
      // A message with that id exists already.
      expect((await steer(stage.product(), body, words)).status).toBe(202);
    });

    test("sent while the model writes its last answer are read in this turn", async () => {
      const held = gate();
      const talk = await stage.open([{ text: "All done.", hold: held.passed }, { text: "That too." }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Go" });
      const reading = postTurn(stage.product(), body).then((response) => collect(eventsOf(response)));
      await stage.model().request(before + 1);
      expect((await steer(stage.product(), body, { id: "q1", text: "And the readme." })).status).toBe(202);
      held.open();
      const events = await reading;
      expect(said(events)).toEqual(["Go", "And the readme."]);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
    });

    test("a runner that is killed after it took them: the turn continues elsewhere with the same words in the same place", async () => {
      const doomed = await stage.another();
      const talk = await stage.open([{ calls: [waiting] }, { hang: true }]);
      const body = talk.body({ type: "message", text: "Go" });
      const before: TurnEvent[] = [];
      try {
        for await (const event of eventsOf(await postTurn(doomed, body))) {
          if ("id" in event) before.push(event);
          if (event.event === "tool.started") {
            await steer(stage.other(), body, { id: "q1", text: "Use tabs." });
            await stage.go(body.sandboxId);
          }
          if (said(before).length === 2) await doomed.kill("SIGKILL");
        }
      } catch {
        // The stream breaks when its process ends.
      }
      expect(said(before)).toEqual(["Go", "Use tabs."]);
      stage.model().play([{ text: "Tabs." }]);
      const again = await collect(eventsOf(await postTurn(stage.other(), { ...body, attempt: 2 })));
      expect(durable(again).slice(0, before.length)).toEqual(before);
      expect(said(again)).toEqual(["Go", "Use tabs."]);
      expect(dataOf(again, "turn.done").reason).toBe("stop");
      const wire = stage.model().requests.at(-1)?.body.messages ?? [];
      expect(wire.filter(({ content }) => content === "Use tabs.")).toHaveLength(1);
    });
  });
}
