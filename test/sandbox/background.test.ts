// Background commands run beside calls, their output is read in parts, they can be ended, and they end with
// the turn unless they are kept.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JournalEvent } from "../../shared/event.ts";
import { ChangeValue, ExecValue, SandboxInfo } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let id: string;
beforeAll(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
});
beforeEach(async () => {
  id = (await server.client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

type Access = "readonly" | "write";
const run = (args: Record<string, unknown>, access: Access = "write") =>
  server.client.value(ExecValue, id, "exec", args, access);
const begin = async (command: string, access: Access = "write") => {
  const { background, stdout } = await run({ command, background: true }, access);
  return { id: background?.id ?? "", running: background?.running, stdout };
};
const look = (args: Record<string, unknown> = {}) =>
  server.client.value(ExecValue, id, "background", args, "readonly");
const infoOf = async (of: RunningServer, which: string) =>
  SandboxInfo.parse((await of.client.get(`/sandboxes/${which}`)).body);
const running = async () => (await infoOf(server, id)).background ?? [];
const here = (name: string) => join(workspace, name);

/** Ends the turn with the event `ending`. */
async function endTurn(turnId: string, ending: Omit<JournalEvent, "id">) {
  await server.client.post(`/sandboxes/${id}/turns/${turnId}/claim`, { epoch: 1 });
  const record = [{ id: 1, ...ending }];
  await server.client.results(id, {
    access: "write",
    turn: { id: turnId, epoch: 1, round: 0, record },
    calls: [],
  });
}

test("it runs beside other commands and edits, and reading continues where it ended", async () => {
  const one = await begin("echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; exit 3");
  expect(one).toMatchObject({ running: true, stdout: "first\n" });
  expect(await run({ command: "cat missing 2>/dev/null; echo beside" })).toMatchObject({
    stdout: "beside\n",
  });
  const files = [{ path: "go", content: "now\n", base: null }];
  await server.client.value(ChangeValue, id, "change", { files });
  expect(await look({ id: one.id, waitMs: 20_000 })).toMatchObject({
    exitCode: 3,
    stdout: "second\n",
    background: { id: one.id, running: false },
  });
  expect(await look()).toMatchObject({ exitCode: 3, stdout: "" });
});

test("one that ends at once is reported as ended, with its exit code", async () => {
  const value = await run({ command: "echo no such server >&2; exit 7", background: true });
  expect(value).toMatchObject({ exitCode: 7, stdout: "no such server\n", background: { running: false } });
});

test("its ports are reported, though nobody else can reach them", async () => {
  const listen = `node -e 'require("net").createServer().listen(4321, "127.0.0.1", () => console.log("up"))'`;
  const one = await begin(listen);
  await expect.poll(async () => (await look({ id: one.id })).background?.ports).toEqual([4321]);
  expect(await running()).toMatchObject([{ id: one.id, command: listen, kept: false, ports: [4321] }]);
  expect(await look({ id: one.id, stop: true })).toMatchObject({ background: { running: false } });
  expect(await running()).toEqual([]);
});

test("it is asked to end before it is killed", { tags: "long" }, async () => {
  const one = await begin("trap 'echo tidied > tidied; exit 0' TERM; echo up; while :; do sleep 0.05; done");
  await look({ id: one.id, stop: true });
  expect(readFileSync(here("tidied"), "utf8")).toBe("tidied\n");
});

test("the newest of much output is kept, and what was cut is counted", async () => {
  const one = await begin("seq 1 200000; echo last");
  const { stdout } = await look({ id: one.id, waitMs: 20_000 });
  const all = stdout === "" ? one.stdout : stdout;
  expect(all).toMatch(/^\[… \d+ characters cut …\]\n/);
  expect(all.trimEnd().endsWith("last")).toBe(true);
});

test("four run at a time; the fifth is refused with the names of the running ones", {
  tags: "long",
}, async () => {
  for (let n = 0; n < 4; n++) await begin(`echo ${n}; sleep 1000`);
  const refused = await server.client.call(id, "exec", { command: "sleep 1000", background: true });
  expect(refused).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("(echo 0; sleep 1000)") },
  });
});

test("in plan mode it can only read", async () => {
  await begin("echo no > written-while-planning; echo tried; sleep 1000", "readonly");
  expect(existsSync(here("written-while-planning"))).toBe(false);
});

describe("the end of a turn", () => {
  for (const [how, ending] of [
    ["said all", { event: "turn.done", data: { reason: "stop", rounds: 1 } }],
    ["failed", { event: "turn.failed", data: { error: { code: "model_error", message: "x" } } }],
  ] as const)
    test(`that ${how} stops it, unless the person keeps it`, {
      tags: how === "failed" ? "long" : [],
    }, async () => {
      const [gone, kept] = [await begin("sleep 1000"), await begin("sleep 1001")];
      expect(await server.client.post(`/sandboxes/${id}/background/${kept.id}`)).toMatchObject({
        status: 204,
      });
      await endTurn(`over-${how.replace(" ", "-")}`, ending);
      await expect.poll(running).toMatchObject([{ id: kept.id, kept: true }]);
      expect(await look({ id: gone.id })).toMatchObject({ background: { running: false } });
      const path = `/sandboxes/${id}/background/${kept.id}`;
      expect((await server.client.fetch(path, { method: "DELETE" })).status).toBe(204);
      expect(await running()).toEqual([]);
    });

  test("that waits for the person does not stop it", { tags: "long" }, async () => {
    const one = await begin("sleep 1000");
    await endTurn("asks", { event: "turn.done", data: { reason: "permission", rounds: 1 } });
    expect(await running()).toMatchObject([{ id: one.id }]);
  });
});

test("a call that is sent again starts nothing a second time", async () => {
  const call = {
    ...{ key: `again-${id}`, op: "exec" as const },
    args: { command: "echo started >> starts; sleep 1000", background: true },
  };
  const [first] = await server.client.results(id, { access: "write", calls: [call] });
  const [again] = await server.client.results(id, { access: "write", calls: [call] });
  expect(again).toMatchObject({ replayed: true, value: first?.value });
  expect(readFileSync(here("starts"), "utf8")).toBe("started\n");
  expect(await running()).toHaveLength(1);
});

test("forbidden files are taken out when it has ended, while other commands keep what they made meanwhile", {
  tags: "long",
}, async () => {
  mkdirSync(here("made-by-hand/.git/hooks"), { recursive: true });
  writeFileSync(here("made-by-hand/.git/hooks/post-checkout"), "#!/bin/sh\n", { mode: 0o755 });
  const one = await begin(
    "git init -q nested; echo 'touch pwned' > nested/.git/hooks/pre-commit; chmod +x nested/.git/hooks/pre-commit; echo up; sleep 1000",
  );
  await run({ command: "git init -q beside; echo kept > beside/file" });
  await look({ id: one.id, stop: true });
  await expect.poll(() => existsSync(here("nested/.git/hooks/pre-commit"))).toBe(false);
  expect(existsSync(here("beside/.git/HEAD"))).toBe(true);
  expect(existsSync(here("made-by-hand/.git/hooks/post-checkout"))).toBe(true);
});

test("it ends with its sandbox, and with a server that is killed; what it left is then taken out too", {
  tags: "long",
}, async () => {
  const [deleted, state] = [await begin("echo up; sleep 1000"), await freshFolder("state")];
  expect(deleted.running).toBe(true);
  await server.client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
  const folder = await freshFolder("killed");
  const killed = await RunningServer.start({ workspace: folder, state });
  const other = await killed.client.create();
  const command =
    "git init -q .; echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; while echo alive > beat; do sleep 0.02; done";
  await killed.client.value(ExecValue, other.id, "exec", { command, background: true });
  await killed.kill();
  const next = await RunningServer.start({ workspace: folder, state });
  expect((await infoOf(next, other.id)).background).toBeUndefined();
  expect(existsSync(join(folder, ".git/hooks/pre-commit"))).toBe(false);
  writeFileSync(join(folder, "beat"), "over");
  expect(await next.client.failure(other.id, "background", {})).toMatchObject({ code: "not_found" });
  expect(readFileSync(join(folder, "beat"), "utf8")).toBe("over");
  await next.stop();
});

test("a commit by the server does not write through links that a background command makes meanwhile", {
  tags: "long",
}, async () => {
  await run({ command: "git init -q sub && cd sub && git commit -q --allow-empty -m first && echo a > a" });
  const repository = (await server.client.create({ source: { path: "sub" } })).id;
  const config = readFileSync(here("sub/.git/config"), "utf8");
  const links = "while :; do ln -sfT config .git/COMMIT_EDITMSG; ln -sfT ../config .git/logs/HEAD; done";
  const background = { command: links, background: true };
  await server.client.value(ExecValue, repository, "exec", background);

  await server.client.call(repository, "git", { verb: "add" });
  const message = "[alias]\n\tst = !touch pwned";
  await server.client.call(repository, "git", { verb: "commit", message });
  expect(readFileSync(here("sub/.git/config"), "utf8")).toBe(config);
  await server.client.value(ExecValue, repository, "background", { stop: true });
});
