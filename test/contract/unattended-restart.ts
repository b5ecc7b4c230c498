// A restarted edge continues interrupted turns without a client. The same tests run on each runtime with a
// lasting process.
import { cp, rename, rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { SandboxAnswer } from "../../shared/api.ts";
import { SessionList } from "../../shared/history.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { descendantsOf } from "../harness/processes.ts";
import { type Product, type Runtime, startProduct } from "../harness/product.ts";
import { authorized, collect, eventsOf, postTurn } from "../harness/sse.ts";
import { RunningServer, token } from "../sandbox/running-server.ts";
import { ask, post } from "./http/request.ts";

export function describeUnattendedRestart(runtime: Runtime): void {
  let model: ModelServer;
  let server: RunningServer;
  const start = (more: Record<string, string> = {}) =>
    startProduct({
      runtime,
      env: {
        ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "k", HANDRAIL_MODEL: "m" },
        ...{ SANDBOX_URL: server.url, SANDBOX_TOKEN: token, ...more },
      },
    });
  beforeAll(async () => {
    model = await startModelServer([{ text: "nothing scripted" }]);
    server = await RunningServer.start();
  });
  afterAll(async () => {
    await server.stop();
    await model.close();
  });

  const append = {
    calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }],
  };
  const never = { text: "never", hold: new Promise(() => undefined) };

  /** A turn that is in its second round when its edge is killed. */
  async function leftBehind(options = {}): Promise<{ talk: Conversation; turnId: string }> {
    model.play([append, never]);
    const product = await start();
    const made = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
    const talk = new Conversation(product, SandboxAnswer.parse(made.json).sandboxId);
    const body = talk.body({ type: "message", text: "Append" }, { options });
    const before = model.requests.length;
    const seen = collect(eventsOf(await postTurn(product, body))).catch(() => []);
    await model.request(before + 2);
    for (const { pid, command } of descendantsOf(product.pid))
      if (/(node|deno)\.mjs/.test(command)) process.kill(pid, "SIGKILL");
    await product.kill("SIGKILL");
    await seen;
    return { talk, turnId: body.turnId };
  }

  async function followed(product: Product, { talk, turnId }: { talk: Conversation; turnId: string }) {
    const at = `${product.url}/api/turns/${talk.sandboxId}/${turnId}/events`;
    return collect(eventsOf(await fetch(at, { headers: authorized(product.token) })));
  }

  const logOf = async (product: Product, { sandboxId }: Conversation) =>
    (await ask(product, `/api/sandboxes/${sandboxId}/file?path=log.txt`)).text;

  test("a turn resumes after a restart without a client, and nothing runs twice", {
    tags: "long",
  }, async () => {
    const left = await leftBehind();
    model.play([{ text: "Done." }]);
    const before = model.requests.length;
    const after = await start();
    await model.request(before + 1);
    const events = await followed(after, left);
    expect(dataOf(events, "turn.done")).toMatchObject({ reason: "stop", rounds: 2 });
    expect(await logOf(after, left.talk)).toBe("once\n");
    expect(model.requests.length).toBe(before + 1);
    const config = await ask(after, "/api/config");
    expect(config.json).toMatchObject({ unattended: true, continuesUnattended: true });
    await after.close();
  });

  test("a turn whose journal is now a copy waits for a person, and resumes on their word", {
    tags: "long",
  }, async () => {
    const left = await leftBehind();
    const { state } = server;
    await server.kill();
    await cp(state, `${state}-copy`, { recursive: true });
    await rm(state, { recursive: true });
    await rename(`${state}-copy`, state);
    server = await RunningServer.start({ state });
    model.play([{ text: "Done." }]);
    const before = model.requests.length;
    const after = await start();
    const { sandboxId } = left.talk;
    const resume = (more: object) => {
      const path = `/api/turns/${sandboxId}/${left.turnId}/resume`;
      return ask(after, path, post({ attempt: 2, after: 0, ...more }));
    };
    const refused = await resume({});
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { error: { code: "history_differs", details: { turnId: left.turnId, copied: true } } },
    ]);
    expect((await followed(after, left)).map(({ event }) => event)).not.toContain("turn.done");
    expect(model.requests.length).toBe(before);
    expect((await resume({ counts: "server" })).text).toContain("event: turn.done");
    expect(await logOf(after, left.talk)).toBe("once\n");
    await after.close();
  });

  test("with nobody there it stops with a message at its budget, counted from its beginning", {
    tags: "long",
  }, async () => {
    const left = await leftBehind({ unattended: { rounds: 1 } });
    const after = await start();
    // Following the turn would count as watching it.
    const stateOf = async () => {
      const { sandboxes } = z.parse(SessionList, (await ask(after, "/api/sandboxes")).json);
      return sandboxes.find(({ sandboxId }) => sandboxId === left.talk.sandboxId)?.state;
    };
    await expect.poll(stateOf).toBe("failed");
    const ended = dataOf(await followed(after, left), "turn.failed");
    expect(ended.error).toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("nobody watched: Settings allows 1 round for"),
      details: { reason: "unattended_limit", rounds: 1 },
    });
    await after.close();
  });
}
