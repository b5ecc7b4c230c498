import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { ask } from "../http/request.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow } from "./turn-requests.ts";

/** A command that reports its start, and ends when the file `go` is in the workspace. */
export const waiting = "echo once >> log.txt; echo began; until [ -e go ]; do sleep 0.05; done";

/** PROTOCOL 3.1 "Attempts", with a second request that reaches a different process. */
export function describeAttempts(stage: ResumeStage): void {
  describe("attempts in another process", () => {
    test("the same attempt twice, at once or while it runs: one runs, the others follow, the model is asked once", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([{ text: "once", hold: passed }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Look" });
      const posts = [postTurn(stage.product(), body), postTurn(stage.other(), body)];
      await stage.model().request(before + 1);
      posts.push(postTurn(stage.other(), body), postTurn(stage.product(), body));
      const responses = await Promise.all(posts);
      open();
      const [first, ...others] = await Promise.all(responses.map(durableOf));
      expect(dataOf(first ?? [], "turn.done").reason).toBe("stop");
      for (const other of others) expect(other).toEqual(first);
      expect(stage.model().requests.length).toBe(before + 1);
    });

    test("a double tap on a process that finds the turn running elsewhere: both follow it", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([{ text: "once", hold: passed }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Look" });
      const runner = durableOf(postTurn(stage.product(), body));
      await stage.model().request(before + 1);
      const release = stage.wire().keepBack("/claim");
      const claims = () =>
        stage.wire().requests.filter((request) => request.includes(`${body.turnId}/claim`)).length;
      const tapped = [durableOf(postTurn(stage.other(), body))];
      await expect.poll(claims).toBe(2);
      // The first request is still claiming when the second one arrives.
      tapped.push(durableOf(postTurn(stage.other(), body)));
      for (let n = 0; n < 5; n += 1) await ask(stage.other(), "/api/health");
      release();
      open();
      const first = await runner;
      expect(dataOf(first, "turn.done").reason).toBe("stop");
      expect(await Promise.all(tapped)).toEqual([first, first]);
      expect(stage.model().requests.length).toBe(before + 1);
    });

    test("a client that follows first claims nothing: the runner goes on, and its client sees the end", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
        { text: "done", hold: passed },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Append" });
      const running = durableOf(postTurn(stage.product(), body));
      await stage.model().request(before + 2);
      const claims = () =>
        stage.wire().requests.filter((request) => request.includes(`${body.turnId}/claim`));
      const following = durableOf(follow(stage.other(), body));
      open();
      expect(await following).toEqual(await running);
      expect(claims()).toHaveLength(1);
      expect(stage.model().requests.length).toBe(before + 2);
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });

    test("a higher attempt fences the lower one in mid-round; both clients see the same end, nothing runs twice", async () => {
      const talk = await stage.open([
        {
          calls: [
            { id: "first", name: "run_command", args: { command: waiting } },
            { id: "second", name: "run_command", args: { command: "echo two >> log.txt" } },
          ],
        },
        { text: "done" },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Append" });
      const lower = eventsOf(await postTurn(stage.product(), body));
      const heard = [];
      for await (const event of lower) {
        heard.push(event);
        if (event.event !== "tool.output") continue;
        const higher = durableOf(await postTurn(stage.other(), { ...body, attempt: 2 }));
        await stage.go(talk.sandboxId);
        heard.push(...(await collect(lower)));
        expect(heard.filter((each) => "id" in each)).toEqual(await higher);
      }
      expect(dataOf(heard, "turn.done").reason).toBe("stop");
      expect(await stage.file(talk, "log.txt")).toBe("once\ntwo\n");
      expect(stage.model().requests.length).toBe(before + 2);
      const behind = await postTurn(stage.product(), body);
      expect([behind.status, (await behind.json()).error.code]).toEqual([409, "stale_epoch"]);
    });

    test("a turn that one process ended replays in another one byte for byte, and asks neither model nor sandbox at its end", async () => {
      const talk = await stage.open([{ calls: [{ name: "list_files", args: {} }] }, { text: "done" }]);
      const body = talk.body({ type: "message", text: "Look" });
      const text = async (answer: Promise<Response>) =>
        (await (await answer).text()).split("\n\n").filter((event) => event.startsWith("id: "));
      const first = await text(postTurn(stage.product(), body));
      const before = stage.model().requests.length;
      expect(await text(follow(stage.other(), body))).toEqual(first);
      expect(await text(postTurn(stage.other(), { ...body, attempt: 2 }))).toEqual(first);
      expect(await text(postTurn(stage.product(), { ...body, attempt: 3, after: 2 }))).toEqual(
        first.slice(2),
      );
      expect(stage.model().requests.length).toBe(before);
    });
  });
}
