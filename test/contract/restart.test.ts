// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import type { TurnEvent } from "../../shared/event.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf, durable, names } from "../harness/conversation.ts";
import { descendantsOf } from "../harness/processes.ts";
import { type Runtime, startProduct } from "../harness/product.ts";
import { authorized, collect, eventsOf, postTurn } from "../harness/sse.ts";
import { ask, post } from "./http/request.ts";

function describeRestart(runtime: Runtime): void {
  let model: ModelServer;
  let state: string;
  beforeAll(async () => {
    model = await startModelServer([{ text: "nothing scripted" }]);
    state = await mkdtemp(join(tmpdir(), "handrail-restart-"));
  });
  afterAll(async () => {
    await model.close();
    await rm(state, { recursive: true, force: true });
  });
  const env = { OPENAI_BASE_URL: "", OPENAI_API_KEY: "k", HANDRAIL_MODEL: "m" };
  const start = (more: Record<string, string> = {}) =>
    startProduct({
      runtime,
      env: { ...env, HANDRAIL_STATE: state, OPENAI_BASE_URL: model.url, ...more },
    });
  const alone = { HANDRAIL_UNATTENDED_MINUTES: "0" };

  test("where turns need a client, a follower learns at once that nobody runs the turn, and posting it again resumes it", async () => {
    model.play([
      { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
      { text: "never", hold: new Promise(() => undefined) },
    ]);
    const before = await start();
    const made = await ask(before, "/api/sandboxes", post({ source: { sample: true } }));
    const talk = new Conversation(before, SandboxAnswer.parse(made.json).sandboxId);
    const body = talk.body({ type: "message", text: "Append" });
    const seen = collect(eventsOf(await postTurn(before, body))).catch(() => []);
    await model.request(2);
    await before.kill("SIGKILL");
    await seen;

    const after = await start(alone);
    model.play([{ text: "Done." }]);
    const followed = await collect(
      eventsOf(
        await fetch(`${after.url}/api/turns/${talk.sandboxId}/${body.turnId}/events`, {
          headers: authorized(after.token),
        }),
      ),
    );
    expect(names(followed)).not.toContain("turn.done");
    const resumed = await collect(eventsOf(await postTurn(after, { ...body, attempt: 2 })));
    expect(durable(resumed).slice(0, durable(followed).length)).toEqual(durable(followed));
    expect(dataOf(resumed, "turn.done").reason).toBe("stop");
    const log = await ask(after, `/api/sandboxes/${talk.sandboxId}/file?path=log.txt`);
    expect(log.text).toBe("once\n");
    await after.close();
  });

  test("a command that is run again and lost again can be run once more", async () => {
    const command = 'echo ran >> log.txt; echo began; [ "$(wc -l < log.txt)" -ge 3 ] || sleep 1000';
    model.play([{ calls: [{ id: "lost", name: "run_command", args: { command } }] }, { text: "Done." }]);
    let product = await start();
    const made = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
    let talk = new Conversation(product, SandboxAnswer.parse(made.json).sandboxId);
    let body = talk.body({ type: "message", text: "Go" });
    const events: TurnEvent[] = [];
    for (const life of [1, 2]) {
      for await (const event of eventsOf(await postTurn(product, body)))
        if (event.event === "tool.output") break;
      for (const { pid, command: line } of descendantsOf(product.pid))
        if (line.includes("sandbox.mjs")) process.kill(pid, "SIGKILL");
      await product.kill("SIGKILL");
      product = await start();
      talk = new Conversation(product, talk.sandboxId);
      events.push(...(await collect(eventsOf(await postTurn(product, { ...body, attempt: 2 })))));
      for (const event of events) talk.keep(event);
      expect(dataOf(events, "permission"), `life ${life}`).toMatchObject({ risk: "outcome_unknown" });
      body = talk.body({ type: "permit", toolCallId: "lost", decision: "again" });
    }
    const last = await collect(eventsOf(await postTurn(product, body)));
    expect(dataOf(last, "turn.done").reason).toBe("stop");
    const log = await ask(product, `/api/sandboxes/${talk.sandboxId}/file?path=log.txt`);
    expect(log.text).toBe("ran\nran\nran\n");
    await product.close();
  });

  test.each([
    { decision: "done", said: "The person says that this ran and finished." },
    { decision: "deny", said: "may have run; not to be repeated" },
  ] as const)(
    "after a command that may have run nothing begins before the person has decided: $decision",
    async ({ decision, said }) => {
      const run = (id: string, command: string) => ({ id, name: "run_command", args: { command } });
      model.play([
        { calls: [run("unknown", "echo began; sleep 1000"), run("behind", "echo behind >> behind.txt")] },
        { text: "Done." },
      ]);
      const before = await start();
      const made = await ask(before, "/api/sandboxes", post({ source: { sample: true } }));
      const talk = new Conversation(before, SandboxAnswer.parse(made.json).sandboxId);
      const body = talk.body({ type: "message", text: "Go" });
      for await (const event of eventsOf(await postTurn(before, body)))
        if (event.event === "tool.output") break;
      // Kills the sandbox server itself too, so that it cannot record how the command ended.
      for (const { pid, command } of descendantsOf(before.pid))
        if (command.includes("sandbox.mjs")) process.kill(pid, "SIGKILL");
      await before.kill("SIGKILL");

      const after = await start();
      const events = await collect(eventsOf(await postTurn(after, { ...body, attempt: 2 })));
      expect(dataOf(events, "permission")).toMatchObject({ toolCallId: "unknown", risk: "outcome_unknown" });
      const file = () => ask(after, `/api/sandboxes/${talk.sandboxId}/file?path=behind.txt`);
      expect((await file()).status).toBe(404);
      const resumed = new Conversation(after, talk.sandboxId);
      for (const event of events) resumed.keep(event);
      await resumed.turn({ type: "permit", toolCallId: "unknown", decision });
      const results = resumed.messages.filter((message) => message.role === "tool");
      expect(results.find(({ toolCallId }) => toolCallId === "unknown")?.content).toBe(said);
      expect((await file()).text).toBe("behind\n");
      expect(dataOf(resumed.events, "turn.done").reason).toBe("stop");
      await after.close();
    },
  );
}

describe("a restart on node in the middle of a turn", () => describeRestart("node"));
describe("a restart on deno in the middle of a turn", { tags: "long" }, () => describeRestart("deno"));
