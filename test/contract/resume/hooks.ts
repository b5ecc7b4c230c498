import { describe, expect, test } from "vitest";
import { HooksState } from "../../../shared/hooks.ts";
import { dataOf } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { until } from "../../sandbox/running-server.ts";
import { ask } from "../http/request.ts";
import { setPlan, step, write } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";

const untilGo = "until [ -e go ]; do sleep 0.02; done";

/** Each hook runs once, whichever process dies in between. */
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

    // With the number of answers that are journaled when it runs.
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
