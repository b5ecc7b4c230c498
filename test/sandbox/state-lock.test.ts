// One state folder, one server.
import { afterAll, expect, test } from "vitest";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

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

test("of many servers that start at once on a new folder exactly one runs", async () => {
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
