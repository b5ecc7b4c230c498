import { beforeAll, describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import { dataOf, durable } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow, stop } from "./turn-requests.ts";

/**
 * Stalls of the model, the sandbox server or the reader while the connection stays open. Each takes a while,
 * so they run concurrently.
 */
export function describeSilence(stage: ResumeStage): void {
  describe.concurrent("silence", () => {
    const tasks = new Map<string, (results: number) => ModelReply | Promise<ModelReply>>();
    beforeAll(() => {
      stage.model().play((body) => {
        const { task, results } = read(body);
        return tasks.get(task)?.(results) ?? { text: "nothing scripted" };
      });
    });
    const open = (task: string, script: (results: number) => ModelReply) => {
      tasks.set(task, script);
      return stage.openSandbox();
    };

    test("of the model: a comment is sent all the same, to the client that posted and to one that follows elsewhere", {
      tags: "long",
    }, async () => {
      const talk = await open("hang", () => ({ hang: true }));
      const body = talk.body({ type: "message", text: "hang" });
      const posted = await postTurn(stage.product(), body);
      await Promise.all([untilPing(posted), follow(stage.other(), body).then(untilPing)]);
      expect((await stop(stage.product(), body)).status).toBe(202);
    });

    test("of the sandbox server: the client is told, posts again, and the command has run once", {
      tags: "long",
    }, async () => {
      const talk = await open("append", (results) => {
        if (results > 0) return { text: "done" };
        stage.wire().silence(`/${talk.sandboxId}/calls`);
        return { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] };
      });
      const body = talk.body({ type: "message", text: "append" });
      const first = await collect(eventsOf(await postTurn(stage.product(), body)));
      expect(dataOf(first, "interrupted").error.code).toBe("sandbox_unreachable");
      expect(first.at(-1)?.event).toBe("interrupted");
      stage.wire().speak();
      const again = await durableOf(postTurn(stage.product(), { ...body, attempt: 2 }));
      expect(again.slice(0, durable(first).length)).toEqual(durable(first));
      expect(dataOf(again, "turn.done").reason).toBe("stop");
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });

    test("of the reader: the turn ends meanwhile, and every durable event is there once it reads", async () => {
      const { passed, open: last } = gate();
      const { passed: asked, open: ask } = gate();
      const talk = await open("flood", (results) => {
        ask();
        return results < 3
          ? { text: "x".repeat(600_000), deltaChars: 100, calls: [{ name: "list_files", args: {} }] }
          : { text: "done", hold: passed };
      });
      const body = talk.body({ type: "message", text: "flood" });
      const unread = await postTurn(stage.product(), body);
      // The turn has been claimed at this point, so the other process can follow it.
      await asked;
      const followed = durableOf(follow(stage.other(), body));
      last();
      const events = await followed;
      expect(dataOf(events, "turn.done").rounds).toBe(4);
      expect(await durableOf(unread)).toEqual(events);
    });
  });
}

/** The person's last message, and the number of results after it. */
function read({ messages }: RequestBody): { task: string; results: number } {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(at).filter(({ role }) => role === "tool").length;
  return { task: String(messages[at]?.content), results };
}

/** Reads a stream up to its heartbeat. If none comes, the test's time limit fails it. */
async function untilPing(response: Response): Promise<void> {
  if (!response.body) throw new Error("no stream");
  let text = "";
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("\n\n: ping\n\n")) return;
  }
  throw new Error(`the stream ended without one: ${text}`);
}
