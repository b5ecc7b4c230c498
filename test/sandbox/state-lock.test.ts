// Only one server can use a state folder.
// @module-tag long
import { spawn } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { leaseLocked } from "../../sandbox/state-lease.ts";
import { builtServer, freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

afterAll(removeFolders);

test("a second server on the same state folder is refused with one clear line, and the first keeps running", async () => {
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

test("a state folder that a newer Handrail wrote is refused in one line, and left unchanged", async () => {
  const state = await freshFolder("state");
  await writeFile(join(state, "format"), "2\n");
  await expect(RunningServer.start({ state })).rejects.toThrow(
    `A newer Handrail wrote the state folder ${state}. Start that one, or choose another folder with --state or HANDRAIL_STATE.`,
  );
  expect(await readdir(state)).toEqual(["format"]);
  await writeFile(join(state, "format"), "1\n");
  await (await RunningServer.start({ state })).stop();
});

test("a killed server holds no lock, nor do the commands it left", async () => {
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

test("what a killed server left half-written is removed at the next start; a workspace's own files stay", async () => {
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state });
  const { id } = await first.client.create();
  await first.kill();
  const box = join(state, "sandboxes", id);
  const [folder = ""] = await readdir(join(state, "folders"));
  const guard = join(state, "folders", folder, "outside", "guard");
  await Promise.all([mkdir(join(box, "turns"), { recursive: true }), mkdir(guard, { recursive: true })]);
  const halves = [state, join(state, "folders", folder), guard, box, join(box, "turns")];
  for (const dir of [...halves, join(box, "workspace")])
    await writeFile(join(dir, ".tmp-0123456789abcdef"), "");
  const second = await RunningServer.start({ state });
  const left = await readdir(state, { recursive: true });
  expect(left.filter((path) => path.includes(".tmp-0"))).toEqual([
    join("sandboxes", id, "workspace", ".tmp-0123456789abcdef"),
  ]);
  await second.stop();
});

test("a lease that is released while it is being renewed is gone", async () => {
  const state = await freshFolder("state");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const lease = await leaseLocked(state, () => undefined);
    vi.advanceTimersByTime(1_000);
    await lease.release();
    expect(await readdir(state)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

/** Deletes every file at the top of the folder, as somebody who "cleans up" lock files would. */
async function deleteFiles(state: string): Promise<void> {
  for (const entry of await readdir(state, { withFileTypes: true }))
    if (entry.isFile()) await rm(join(state, entry.name), { force: true });
}

test("deleting the lock file lets nobody in", async () => {
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state });
  await deleteFiles(state);
  expect(await refused(RunningServer.start({ state }))).toMatch(refusal);
  expect((await first.client.get("/capabilities")).status).toBe(200);
  await first.stop();
});

test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "a server in its own network, mount and process namespaces is refused, as in a second container",
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

test("where locks do not work, a lease keeps a second server out, whichever of the two can lock", {
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

test("of servers that lease at once exactly one runs; one that lost its lease ends at once", {
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
