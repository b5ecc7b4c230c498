// However much a caller asks for at once, an answer has at most what `capabilities` reports, and a reader may
// name any time to wait.
// @module-tag long
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import { ExecValue, ListValue, SearchValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

let server: RunningServer;
let id: string;
let limits: Record<string, number>;
const most = (name: string) => limits[name] ?? 0;
beforeAll(async () => {
  const workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  const { body } = await server.client.get("/capabilities");
  ({ limits } = z.parse(z.object({ limits: z.record(z.string(), z.number()) }), body));
  for (let n = 0; n <= most("listEntriesMax"); n += 1) writeFileSync(join(workspace, `f${n}`), "");
  writeFileSync(join(workspace, "lines.txt"), "a line\n".repeat(most("searchMatchesMax") + 1));
  execFileSync("git", ["init", "-q", "-b", "main", workspace]);
  const commit = (n: number) => `commit refs/heads/main\ncommitter A <a@b.c> ${n} +0000\ndata 1\nx\n`;
  const commits = Array.from({ length: 1_001 }, (_, n) => commit(n)).join("");
  execFileSync("git", ["-C", workspace, "fast-import", "--quiet"], { input: commits });
  ({ id } = await server.client.create());
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const all = { limit: 1_000_000 };

test("entries of a list", async () => {
  const { entries, truncated } = await server.client.value(ListValue, id, "list", all);
  expect([entries.length, truncated]).toEqual([most("listEntriesMax"), true]);
});

test("matches of a search", async () => {
  const search = { pattern: "a line", ...all };
  const { matches, truncated } = await server.client.value(SearchValue, id, "search", search);
  const found = matches.reduce((sum, { lines }) => sum + (lines?.length ?? 0), 0);
  expect([found, truncated]).toEqual([most("searchMatchesMax"), true]);
});

test("commits of a log", async () => {
  const { stdout } = await server.client.value(GitValue, id, "git", { verb: "log", ...all });
  expect(stdout.trimEnd().split("\n")).toHaveLength(1_000);
});

test("output of a command", async () => {
  const command = "head -c 6M /dev/zero | tr '\\0' x";
  const value = await server.client.value(ExecValue, id, "exec", { command, maxOutputBytes: 2 ** 30 });
  expect(value.truncated).toBe(true);
  expect(value.stdout.length).toBeLessThan(most("execOutputMaxBytes") + 100);
});

test("the body of a request, which is refused by its declared length before it is sent", async () => {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  const head = `POST /v1/sandboxes/${id}/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${head}Content-Length: ${most("requestBytes") + 1}\r\n\r\n`);
  const [first] = await new Promise<[Buffer]>((resolve) => socket.once("data", (data) => resolve([data])));
  expect(first.toString()).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test("the time to wait for a turn: the longest that can be named waits too", async () => {
  await server.client.claim(id, "waiting", { epoch: 1 });
  // A timer of Node would end at once for a time longer than it can count.
  const path = `/sandboxes/${id}/turns/waiting?from=1&waitMs=${"9".repeat(15)}`;
  const { body } = await server.client.fetch(path);
  let [text, recorded] = ["", false];
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (recorded || !text.includes('"ping"')) continue;
    recorded = true;
    const record = [{ id: 1, event: "turn.done", data: { reason: "stop", rounds: 1 } }];
    await server.client.results(id, { turn: { id: "waiting", epoch: 1, round: 0, record }, calls: [] });
  }
  expect(text).toContain('"turn.done"');
});
