import { describe, expect, test } from "vitest";
import { dataOf, durable, names } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { descendantsOf } from "../../harness/processes.ts";
import type { Product } from "../../harness/product.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { waiting } from "./attempts.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow } from "./turn-requests.ts";

/**
 * Far below the 90 s after which a silent journal is given up. The test checks who gives up the turn, not
 * when.
 */
const netMs = 60_000;

/**
 * Resolves after `count` comments. Does not cancel the stream, because cancelling one branch of a `tee` waits
 * for the other.
 */
async function comments(stream: ReadableStream<Uint8Array>, count: number): Promise<void> {
  let text = "";
  for await (const chunk of stream.values({ preventCancel: true })) {
    text += Buffer.from(chunk).toString();
    if (text.split(/^:/m).length > count) return;
  }
}

/** Whether a turn has a runner is visible at once to every follower. */
export function describePresence(stage: ResumeStage): void {
  const edgeOf = (product: Product): number => {
    const edge = descendantsOf(product.pid).find(({ command }) =>
      /workerd serve|(node|deno)\.mjs/.test(command),
    );
    if (!edge) throw new Error("the product has no edge");
    return edge.pid;
  };

  describe("a turn and its runner", () => {
    test("a page that is reloaded while the model streams finds the answer: it is neither cut nor requested again", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([{ text: "the whole answer", hold: passed }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Talk" });
      const gone = new AbortController();
      const events = eventsOf(await postTurn(stage.product(), body, gone.signal));
      for (let next = await events.next(); !next.done; next = await events.next())
        if (next.value.event === "context") break;
      const reading = collect(events).catch(() => []);
      await stage.model().request(before + 1);
      gone.abort();
      await reading;
      const followed = durableOf(follow(stage.product(), body));
      open();
      expect(names(await followed).at(-1)).toBe("turn.done");
      expect(stage.model().requests.length).toBe(before + 1);
    });

    // The other runtimes notice at once, which the test above waits for.
    test.runIf(stage.runtime === "workerd")(
      "nor once the server has noticed that the page is gone",
      async () => {
        const { passed, open } = gate();
        const talk = await stage.open([{ text: "the whole answer", hold: passed }]);
        const before = stage.model().requests.length;
        const body = talk.body({ type: "message", text: "Talk" });
        const gone = new AbortController();
        const reading = postTurn(stage.product(), body, gone.signal).then((response) => response.text());
        await stage.model().request(before + 1);
        gone.abort();
        await reading.catch(() => undefined);
        const { body: stream, ...rest } = await follow(stage.product(), body);
        if (!stream) throw new Error("no stream");
        const [looking, following] = stream.tee();
        // workerd notices through a comment that cannot be delivered. All streams get comments at the same
        // interval.
        await comments(looking, 2);
        open();
        expect(names(await durableOf(new Response(following, rest))).at(-1)).toBe("turn.done");
        expect(stage.model().requests.length).toBe(before + 1);
      },
      netMs,
    );

    test(
      "a killed runner is noticed at once: its follower is released, and the turn continues elsewhere",
      async () => {
        const talk = await stage.open([
          { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
          { text: "never", hold: new Promise(() => undefined) },
        ]);
        const before = stage.model().requests.length;
        const dying = await stage.another();
        const body = talk.body({ type: "message", text: "Append" });
        const seen = collect(eventsOf(await postTurn(dying, body))).catch(() => []);
        await stage.model().request(before + 2);
        const followed = durableOf(follow(stage.product(), body));
        process.kill(edgeOf(dying), "SIGKILL");
        await seen;
        expect(names(await followed)).not.toContain("turn.done");
        stage.model().play([{ text: "Done." }]);
        const end = await durableOf(postTurn(stage.product(), { ...body, attempt: 2 }));
        expect(dataOf(end, "turn.done").reason).toBe("stop");
        expect(await stage.file(talk, "log.txt")).toBe("once\n");
        await dying.kill("SIGKILL");
      },
      netMs,
    );

    // A Worker cannot be frozen. It sends no heartbeats, because its requests are limited.
    test.skipIf(stage.runtime === "workerd")(
      "a frozen runner is noticed too, and does nothing when it wakes",
      async () => {
        const talk = await stage.open([
          { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
          { text: "late", hold: new Promise(() => undefined) },
        ]);
        const before = stage.model().requests.length;
        const frozen = await stage.another();
        const body = talk.body({ type: "message", text: "Append" });
        const seen = collect(eventsOf(await postTurn(frozen, body))).catch(() => []);
        await stage.model().request(before + 2);
        const edge = edgeOf(frozen);
        process.kill(edge, "SIGSTOP");
        expect(names(await durableOf(follow(stage.product(), body)))).not.toContain("turn.done");
        stage.model().play([{ text: "Done." }]);
        const end = await durableOf(postTurn(stage.product(), { ...body, attempt: 2 }));
        expect(dataOf(end, "turn.done").reason).toBe("stop");
        process.kill(edge, "SIGCONT");
        expect(durable(await seen)).toEqual(end);
        expect(await durableOf(follow(stage.product(), body))).toEqual(end);
        expect(await stage.file(talk, "log.txt")).toBe("once\n");
        await frozen.close();
      },
      netMs,
    );

    test(
      "while a command of the turn runs no follower is released, whatever happened to its runner",
      async () => {
        const talk = await stage.open([
          { calls: [{ name: "run_command", args: { command: waiting } }] },
          { text: "never asked" },
        ]);
        const dying = await stage.another();
        const body = talk.body({ type: "message", text: "Append" });
        const events = eventsOf(await postTurn(dying, body));
        for (let next = await events.next(); !next.done; next = await events.next())
          if (next.value.event === "tool.output") break;
        const rest = collect(events).catch(() => []);
        process.kill(edgeOf(dying), "SIGKILL");
        await rest;
        let over = false;
        const followed = durableOf(follow(stage.product(), body)).finally(() => {
          over = true;
        });
        const other = durableOf(follow(stage.other(), body));
        expect(over).toBe(false);
        await stage.go(talk.sandboxId);
        await Promise.all([followed, other]);
        expect(await stage.results({ ...talk, turnId: body.turnId })).toHaveLength(1);
        await dying.kill("SIGKILL");
      },
      netMs,
    );
  });
}
