import { describe, expect, test } from "vitest";
import type { Connection } from "../../../pwa/turn/connection.ts";
import { runTurn, type TurnRunnerDeps } from "../../../pwa/turn/turn-runner.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { isDurable, type TurnEvent } from "../../../shared/event.ts";

const sse = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const mode = (id: number) => sse(id, "mode", { from: "plan", to: "normal", reason: "" });
const done = (id: number) => sse(id, "turn.done", { reason: "stop", rounds: 1 });
const interrupted = 'event: interrupted\ndata: {"error":{"code":"internal","message":"gone"}}\n\n';

type Answer = string | HandrailError | TypeError | "silence";

/** Plays answers in order and notes what was asked. Waiting costs no time. */
function phone(answers: Answer[]) {
  const asked: string[] = [];
  const connections: Connection[] = [];
  const events: TurnEvent[] = [];
  let last = 0;
  const next = async (what: string): Promise<Response> => {
    asked.push(what);
    const answer = answers.shift() ?? done(last + 1);
    if (answer instanceof Error) throw answer;
    if (answer === "silence") return new Response(new ReadableStream({ start: () => undefined }));
    return new Response(answer);
  };
  const deps: TurnRunnerDeps = {
    post: (attempt, after) => next(`post ${attempt} after ${after}`),
    follow: (after) => next(`follow after ${after}`),
    after: () => last,
    onEvents: (more) => {
      events.push(...more);
      for (const event of more) if (isDurable(event)) last = event.id;
    },
    onConnection: (connection) => connections.push(connection),
    sleep: (ms) =>
      ms === 25_000 && answers.length === 0 && asked.length > 1 ? new Promise(() => undefined) : soon(),
    wake: () => new Promise(() => undefined),
    doubt: () => new Promise(() => undefined),
    isOnline: () => true,
  };
  return {
    asked,
    connections,
    events,
    run: (attempt = 0) => runTurn(deps, attempt, new AbortController().signal),
  };
}

/** Later than anything that is ready already. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

describe("attempts", () => {
  test("a turn whose stream ends well is posted once", async () => {
    const { asked, events, run } = phone([mode(1) + done(2)]);
    expect(await run()).toEqual({ kind: "finished" });
    expect(asked).toEqual(["post 1 after 0"]);
    expect(events.map(({ event }) => event)).toEqual(["mode", "turn.done"]);
  });

  test("a lost stream is followed first, from the last event that is known", async () => {
    const { asked, run } = phone([mode(1), mode(2) + done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1"]);
  });

  test("it is posted again, one attempt higher, when the follower closes without an end", async () => {
    const { asked, run } = phone([mode(1), mode(2), done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1", "post 2 after 2"]);
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

  test("a turn that was under way before a reload is followed, not posted", async () => {
    const { asked, run } = phone([done(1)]);
    await run(1);
    expect(asked).toEqual(["follow after 0"]);
  });

  test("a fenced attempt follows the one that won", async () => {
    const { asked, run } = phone([new HandrailError("stale_epoch", "lower"), done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0"]);
  });

  test("a gap in the ids breaks the stream before anything behind it counts", async () => {
    const { asked, events, run } = phone([mode(1) + mode(3), mode(2) + done(3)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 1"]);
    expect(events.map((event) => isDurable(event) && event.id)).toEqual([1, 2, 3]);
  });

  test("a stream that is silent too long is left", async () => {
    const { asked, run } = phone(["silence", done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "follow after 0"]);
  });
});

describe("refusals", () => {
  test("what the server does not take is given back, not tried again", async () => {
    const refusal = new HandrailError("stale_plan", "Another plan is newer.");
    const { asked, run } = phone([refusal]);
    expect(await run()).toEqual({ kind: "refused", error: refusal });
    expect(asked).toHaveLength(1);
  });

  test("what may go away is tried again", async () => {
    const { asked, connections, run } = phone([new HandrailError("sandbox_unreachable", "down"), done(1)]);
    await run();
    expect(asked).toEqual(["post 1 after 0", "post 2 after 0"]);
    expect(connections).toContainEqual({ kind: "reconnecting", tries: 1 });
  });
});
