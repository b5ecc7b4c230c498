// Another server takes a state folder while the first one still runs: requests to the first one run nothing
// any more.
// @module-tag long
import { cp, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const cannotLock = { HANDRAIL_NO_LOCK: "1" };

/** A call whose effects can be counted. Its key is the same on every server. */
function effect(server: RunningServer, file: string) {
  const calls = [{ key: "once", op: "exec" as const, args: { command: `echo ran >> ${file}` } }];
  return server.client.post("/sandboxes/x/calls", { access: "write", calls });
}

test("a server that cannot lock is kept out by one that holds the lock", async () => {
  const state = await freshFolder("state");
  const first = await RunningServer.start({ state });
  const second = RunningServer.start({ state, env: cannotLock });
  await expect(second).rejects.toThrow(/Another sandbox server uses the state folder/);
  expect((await first.client.get("/capabilities")).status).toBe(200);
  await first.stop();
});

test("the lock of a killed server does not delay servers that can lock, and others only for a while", async () => {
  const state = await freshFolder("state");
  await (await RunningServer.start({ state })).kill();
  const next = await RunningServer.start({ state, env: cannotLock });
  expect(await next.stop()).toBe(0);
});

test("a copy put in the folder's place ends the folder's server before it runs more", async () => {
  const [state, workspace] = [await freshFolder("state"), await freshFolder("workspace")];
  const first = await RunningServer.start({ state, workspace });
  await first.client.create({ id: "x" });
  await rename(state, `${state}.before`);
  await cp(`${state}.before`, state, { recursive: true });
  const refused = await effect(first, "effects").catch(() => undefined);
  expect(JSON.stringify(refused?.body ?? "")).not.toContain('"ok":true');
  const second = await RunningServer.start({ state, workspace });
  await effect(second, "effects");
  expect(await readFile(join(workspace, "effects"), "utf8")).toBe("ran\n");
  expect(await first.exited).toBe(1);
  expect(first.log).toContain("another sandbox server has taken the state folder");
  await second.stop();
});

test("a server that wakes after another has taken its lease writes no line and runs nothing", async () => {
  const [state, workspace] = [await freshFolder("state"), await freshFolder("workspace")];
  const first = await RunningServer.start({ state, workspace, env: cannotLock });
  await first.client.create({ id: "x" });
  process.kill(first.pid, "SIGSTOP");
  // The request waits in the socket of the sleeping server.
  const late = effect(first, "effects").catch(() => undefined);
  const second = await RunningServer.start({ state, workspace, env: cannotLock });
  await effect(second, "effects");
  process.kill(first.pid, "SIGCONT");
  expect(await first.exited).toBe(1);
  expect(JSON.stringify((await late)?.body ?? "")).not.toContain('"ok":true');
  expect(await readFile(join(workspace, "effects"), "utf8")).toBe("ran\n");
  await second.stop();
  const third = await RunningServer.start({ state, workspace });
  expect(third.log).not.toMatch(/damaged|torn/);
  await third.stop();
});
