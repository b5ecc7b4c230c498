import { describe, expect, test } from "vitest";
import type { Connection } from "../../../pwa/turn/connection.ts";
import { deliverTurn, type TurnRunnerDeps } from "../../../pwa/turn/turn-runner.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { isDurable, type TurnEvent } from "../../../shared/event.ts";

const sse = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const mode = (id: number) => sse(id, "mode", { from: "plan", to: "normal", reason: "" });
const done = (id: number) => sse(id, "turn.done", { reason: "stop", rounds: 1 });
const interrupted = 'event: interrupted\ndata: {"error":{"code":"internal","message":"gone"}}\n\n';

/**
 * `torn`: text, after which the connection breaks; `doubted`: the page becomes visible again while nothing
 * arrives.
 */
type Answer = string | { torn: string } | HandrailError | TypeError | "silence" | "doubted";

/** Plays answers in order and records the requests. Waiting takes no time. */
function phone(answers: Answer[]) {
  const asked: string[] = [];
  const awaitsDoubt = answers.includes("doubted");
  const connections: Connection[] = [];
  const events: TurnEvent[] = [];
  let last = 0;
  let doubt = () => {};
  const pauses: number[] = [];
  const next = async (what: string, signal: AbortSignal): Promise<Response> => {
    asked.push(what);
    const answer = answers.shift() ?? done(last + 1);
    if (answer instanceof Error) throw answer;
    if (answer === "doubted") void soon().then(() => doubt());
    if (answer === "silence") return new Response(new ReadableStream());
    if (answer === "doubted") return new Response(openUntil(signal));
    if (typeof answer === "object") return new Response(tearing(answer.torn));
    return new Response(answer);
  };
  const deps: TurnRunnerDeps = {
    post: (attempt, signal) => next(`post ${attempt} after ${last}`, signal),
    follow: (signal) => next(`follow after ${last}`, signal),
    after: () => last,
    onEvents: (more) => {
      events.push(...more);
      for (const event of more) if (isDurable(event)) last = event.id;
    },
    onConnection: (connection) => connections.push(connection),
    sleep: (ms) => {
      if (ms < 25_000) pauses.push(ms);
      const never = ms === 25_000 && ((answers.length === 0 && asked.length > 1) || awaitsDoubt);
      return never ? new Promise(() => undefined) : soon();
    },
    wake: () => new Promise(() => undefined),
    doubt: (signal) =>
      new Promise((resolve) => {
        doubt = resolve;
        // As in a page, the promise resolves when the signal is aborted.
        signal.addEventListener("abort", () => resolve());
      }),
    isOnline: () => true,
  };
  return {
    asked,
    connections,
    events,
    pauses,
    run: (attempt = 0) => deliverTurn(deps, attempt, new AbortController().signal),
  };
}

/** Like fetch's bodies, the stream ends with its request. */
function openUntil(signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
  });
}

function tearing(text: string): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError("network error"));
      else controller.enqueue(new TextEncoder().encode(text));
      sent = true;
    },
  });
}

/** Resolves later than everything that is ready already. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

describe("attempts", () => {
  test("a turn whose stream ends normally is posted once", async () => {
    const { asked, events, run } = phone([mode(1) + done(2)]);
    expect(await run()).toEqual({ kind: "finished" });
    expect(asked).toEqual(["post 1 after 0"]);
    expect(events.map(({ event }) => event)).toEqual(["mode", "turn.done"]);
  });

  test("a lost stream is followed first, from the last known event", async () => {
    const { asked, run } = phone([mode(1), mode(2) + done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1"]);
  });

  test("it is posted again, one attempt higher, when the follower closes without an end", async () => {
    const { asked, run } = phone([mode(1), mode(2), done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1", "post 2 after 2"]);
  });

  test("a followed stream that breaks is followed again: its runner may be healthy", async () => {
    const { asked, run } = phone([mode(1), { torn: mode(2) }, { torn: ": ping\n\n" }, done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1", "follow after 2", "follow after 2"]);
  });

  test("streams that always break do not delay a turn for ever", async () => {
    const torn = { torn: ": ping\n\n" };
    const { asked, run } = phone([mode(1), torn, torn, torn, torn, torn, done(2)]);
    await run();
    expect(asked.at(-1)).toBe("post 2 after 1");
    expect(asked).toHaveLength(7);
  });

  test("after a return to the app it asks again at once, without a pause", async () => {
    const { asked, pauses, run } = phone(["doubted", done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0"]);
    expect(pauses).toEqual([]);
  });

  test("it is posted again when the engine does not know the turn", async () => {
    const { asked, run } = phone([
      new TypeError("network"),
      new HandrailError("not_found", "unknown"),
      done(1),
    ]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0", "post 2 after 0"]);
  });

  test("an interruption that the engine announces is posted again at once", async () => {
    const { asked, run } = phone([mode(1) + interrupted, done(2)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "post 2 after 1"]);
  });

  test("a turn that was running before a reload is followed, not posted", async () => {
    const { asked, run } = phone([done(1)]);
    await run(1);
    expect(asked).toEqual(["follow after 0"]);
  });

  test("a fenced attempt follows the one that won", async () => {
    const { asked, run } = phone([new HandrailError("stale_epoch", "lower"), done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0"]);
  });

  test("after a runner without a client made attempts of its own, the next post is above them", async () => {
    const stale = new HandrailError("stale_epoch", "lower", { details: { epoch: 7 } });
    const { asked, run } = phone([stale, mode(1), done(2)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0", "post 8 after 1"]);
  });

  test("a gap in the ids breaks the stream before anything after it counts", async () => {
    const { asked, events, run } = phone([mode(1) + mode(3), mode(2) + done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1"]);
    expect(events.map((event) => isDurable(event) && event.id)).toEqual([1, 2, 3]);
  });

  test("a gap that a second stream has as well ends the turn: those events are gone", async () => {
    const { asked, run } = phone([mode(1) + mode(3), mode(3) + done(4)]);
    expect(await run()).toEqual({ kind: "gap" });
    expect(asked).toEqual(["post 1 after 0", "follow after 1"]);
  });

  test("a turn that nobody runs is shown as resuming until it is resumed, and posted at once", async () => {
    const { connections, pauses, run } = phone([mode(1), mode(2), done(3)]);
    await run();
    expect(connections.map(({ kind }) => kind).slice(-2)).toEqual(["resuming", "live"]);
    expect(pauses).toEqual([300]);
  });

  test("a paused turn is not shown as resuming once its server does not answer", async () => {
    const { connections, run } = phone([mode(1), mode(2), new TypeError("refused"), done(3)]);
    await run();
    expect(connections.at(-2)).toMatchObject({ kind: "reconnecting", unanswered: true });
  });

  test("a silent stream is abandoned", async () => {
    const { asked, run } = phone(["silence", done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0"]);
  });
});

describe("refusals", () => {
  test("a message that the server refuses is returned, not retried", async () => {
    const refusal = new HandrailError("stale_plan", "Another plan is newer.");
    const { asked, run } = phone([refusal]);
    expect(await run()).toEqual({ kind: "refused", error: refusal });
    expect(asked).toHaveLength(1);
  });

  test("a different history on the server is the person's decision, also when a stream reveals it", async () => {
    const error = { code: "history_differs", message: "Differs.", details: { turnId: "t", lastId: 2 } };
    const differs = `event: interrupted\ndata: ${JSON.stringify({ error })}\n\n`;
    const { asked, run } = phone([differs]);
    expect(await run(1)).toMatchObject({ kind: "refused", error: { code: "history_differs" } });
    expect(asked).toHaveLength(1);
  });

  test("the server's messages are passed on while it cannot continue", async () => {
    const { connections, run } = phone([
      new HandrailError("disk_full", "Full.", { retryable: true }),
      done(1),
    ]);
    await run();
    expect(connections).toContainEqual({ kind: "reconnecting", tries: 1, why: "Full." });
  });

  test("temporary refusals are retried", async () => {
    const { asked, connections, run } = phone([new HandrailError("sandbox_unreachable", "down"), done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "post 2 after 0"]);
    expect(connections).toContainEqual({ kind: "reconnecting", tries: 1, why: "down" });
  });
});
