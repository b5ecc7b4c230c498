// One state folder, one server.
// @module-tag long
import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { builtServer, freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

afterAll(removeFolders);

test("a second server on the same state folder is refused with one clear line, and the first goes on", async () => {
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state });
  const refused = await RunningServer.start({ state }).then(
    (server) => server.stop(),
    (error: Error) => error.message,
  );
  expect(refused).toMatch(/Another sandbox server uses the state folder .*--state/);
  expect(refused).not.toMatch(/\n {4}at /);
  expect((await first.client.get("/capabilities")).status).toBe(200);
  await first.stop();
});

test("a server that was killed holds nothing, nor do the commands it left", async () => {
  const state = await freshFolder("state");
  for (let life = 0; life < 3; life++) {
    const server = await RunningServer.start({ state });
    const { id } = await server.client.create();
    const body = {
      access: "write",
      calls: [{ key: "long", op: "exec", args: { command: "echo begun; sleep 600" } }],
    };
    const answer = await server.client.fetch(`/sandboxes/${id}/calls`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    await answer.body?.getReader().read();
    await server.kill();
  }
  const after = await RunningServer.start({ state });
  expect(await after.stop()).toBe(0);
});

test("of many servers that start at once on a new folder exactly one runs", { tags: "long" }, async () => {
  const state = await freshFolder("state");
  const started = await Promise.allSettled(Array.from({ length: 4 }, () => RunningServer.start({ state })));
  const running = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(running).toHaveLength(1);
  for (const server of running) await server.stop();
});

test("a server that starts while another is ending waits for it", async () => {
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state });
  const second = RunningServer.start({ state });
  await first.stop();
  expect((await (await second).client.get("/capabilities")).status).toBe(200);
  await (await second).stop();
});

const refusal = /Another sandbox server uses the state folder .*--state/;
const refused = (start: Promise<RunningServer>) =>
  start.then(
    (server) => server.stop().then(() => "it ran"),
    (error: Error) => error.message,
  );

/** Everything of the folder's top that is no folder is deleted, as by somebody who "cleans up" lock files. */
async function deleteFiles(state: string): Promise<void> {
  for (const entry of await readdir(state, { withFileTypes: true }))
    if (entry.isFile()) await rm(join(state, entry.name), { force: true });
}

test("a deleted lock file lets nobody in", async () => {
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state });
  await deleteFiles(state);
  expect(await refused(RunningServer.start({ state }))).toMatch(refusal);
  expect((await first.client.get("/capabilities")).status).toBe(200);
  await first.stop();
});

test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "a server in network, mount and process namespaces of its own is refused, as in a second container",
  { tags: "long" },
  async () => {
    const state = await freshFolder("state");
    const first = await RunningServer.start({ state });
    const inside = ["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"];
    const command = [process.execPath, await builtServer(), "--port", "0", "--state", state];
    const second = spawn("unshare", [...inside, ...command], {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", SANDBOX_TOKEN: token },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    second.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    second.stdout.on("data", (chunk: Buffer) => {
      if (chunk.includes("ready")) second.kill("SIGKILL");
    });
    await new Promise((resolve) => second.once("close", resolve));
    expect(said).toMatch(refusal);
    await first.stop();
  },
);

test("where nothing locks, a lease keeps a second server out, whichever of the two can lock", {
  tags: "long",
}, async () => {
  const env = { HANDRAIL_NO_LOCK: "1" };
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state, env });
  expect(await refused(RunningServer.start({ state, env }))).toMatch(refusal);
  expect(await refused(RunningServer.start({ state }))).toMatch(refusal);
  await first.kill();
  const second = await RunningServer.start({ state, env });
  expect(await second.stop()).toBe(0);
});

test("of servers that lease at once exactly one runs; one whose lease was taken ends at once", {
  tags: "long",
}, async () => {
  const env = { HANDRAIL_NO_LOCK: "1" };
  const state = await freshFolder("state");
  const started = await Promise.allSettled(
    Array.from({ length: 3 }, () => RunningServer.start({ state, env })),
  );
  const running = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(running).toHaveLength(1);
  await deleteFiles(state);
  expect(await running[0]?.exited).toBe(1);
  expect(running[0]?.log).toContain("another sandbox server has taken the state folder");
});
