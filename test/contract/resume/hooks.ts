import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { HooksState } from "../../../shared/hooks.ts";
import { dataOf } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { until } from "../../sandbox/running-server.ts";
import { ask } from "../http/request.ts";
import { setPlan, step, write } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";
import { follow } from "./turn-requests.ts";

const untilGo = "until [ -e go ]; do sleep 0.02; done";

/** The events about the first hook, up to its output. */
async function hookIn(events: AsyncGenerator<TurnEvent>) {
  let started: Extract<TurnEvent, { event: "tool.started" }>["data"] | undefined;
  for (let next = await events.next(); !next.done; next = await events.next()) {
    const { event, data } = next.value;
    if (event === "tool.started" && data.check) started = data;
    if (event === "tool.output" && data.toolCallId === started?.toolCallId)
      return { ...started, said: data.text };
  }
  throw new Error("no hook was told of");
}

/** Each hook runs once, whichever process dies meanwhile. */
export function describeHookRuns(stage: ResumeStage): void {
  describe("a hook", () => {
    const allowed = async (hooks: unknown) => {
      const config = write(".handrail/config.json", JSON.stringify({ hooks }));
      const talk = await stage.open([{ calls: [config] }, { text: "written" }]);
      await talk.say("Write it.");
      const { json } = await ask(stage.product(), `/api/sandboxes/${talk.sandboxId}/hooks`);
      talk.options = { hooks: true };
      await talk.turn({ type: "hooks", hash: HooksState.parse(json).hash });
      return talk;
    };

    const deeds = [
      { calls: [setPlan("Write a note", [{ id: "s1", description: "Write note.txt" }])] },
      { calls: [write("note.txt")] },
      { calls: [step("s1", "done", "wrote it")] },
      { text: "done" },
    ];

    // Each hook, with the number of answers that are in the journal when it runs.
    test.each([
      ["beforeTurn", 0],
      ["beforeStep", 1],
      ["beforeChange", 2],
      ["afterChange", 2],
      ["afterStep", 3],
      ["afterTurn", 3],
    ])("%s that runs while the edge dies runs once, and the turn goes on after it", async (when, answers) => {
      const talk = await allowed({ [when]: [`echo ran >> hooks.log; ${untilGo}`] });
      talk.mode = "auto";
      stage.model().play(deeds);
      const body = talk.body({ type: "message", text: "Go" });
      const doomed = await stage.another();
      const seen = collect(eventsOf(await postTurn(doomed, body))).catch(() => []);
      await until(async () => (await stage.file(talk, "hooks.log")) !== undefined);
      await doomed.kill("SIGKILL");
      await seen;
      await stage.go(talk.sandboxId);
      stage.model().play(deeds.slice(answers));
      for await (const event of eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })))
        talk.keep(event);
      expect(dataOf(talk.events, "turn.done").reason).toBe("stop");
      expect(talk.result("write_file").ok).toBe(true);
      expect(await stage.file(talk, "note.txt")).toBe("x\n");
      expect(await stage.file(talk, "hooks.log")).toBe("ran\n");
    });

    test.each(["beforeTurn", "beforeStep", "beforeChange", "afterChange", "afterStep", "afterTurn"])(
      "%s that runs is shown to followers at another process as at the first: command, start, limit, output, end",
      async (when) => {
        const command = `echo hooked; ${untilGo}`;
        const talk = await allowed({ [when]: [{ command, timeoutMs: 50_000 }] });
        talk.mode = "auto";
        stage.model().play(deeds);
        const body = talk.body({ type: "message", text: "Go" });
        const posted = eventsOf(await postTurn(stage.product(), body));
        const first = await hookIn(posted);
        const elsewhere = eventsOf(await follow(stage.other(), body));
        expect(await hookIn(elsewhere)).toEqual(first);
        expect(first).toMatchObject({ check: { command, limitMs: 50_000 }, said: "hooked\n" });
        await stage.go(talk.sandboxId);
        const rest = await Promise.all([collect(posted), collect(elsewhere)]);
        for (const events of rest) {
          const over = events.find(
            (event) =>
              (event.event === "tool.ended" && event.data.toolCallId === first.toolCallId) ||
              (event.event === "message" &&
                event.data.message.role === "tool" &&
                event.data.message.toolCallId === first.toolCallId),
          );
          expect(over).toBeDefined();
          expect(dataOf(events, "turn.done").reason).toBe("stop");
        }
      },
    );

    test("that was changed while the edge was dead is used as it was when the turn began", async () => {
      const talk = await allowed({ afterChange: ["echo ran >> hooks.log"] });
      const edit = { name: "run_command", args: { command: "rm .handrail/config.json" } };
      stage.model().play([{ calls: [edit] }, { hang: true }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Go" });
      const doomed = await stage.another();
      const seen = collect(eventsOf(await postTurn(doomed, body))).catch(() => []);
      await stage.model().request(before + 2);
      await doomed.kill("SIGKILL");
      await seen;
      stage.model().play([{ calls: [write("note.txt")] }, { text: "done" }]);
      for await (const event of eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })))
        talk.keep(event);
      expect(await stage.file(talk, "hooks.log")).toBe("ran\n");
    });
  });
}
