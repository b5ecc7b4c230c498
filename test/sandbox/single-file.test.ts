// The built server is one file that needs no others.
import { execFile } from "node:child_process";
import { copyFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { builtServer, freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

afterAll(removeFolders);
const run = promisify(execFile);

test("it runs alone in a folder and prints its options", async () => {
  const file = join(await freshFolder("alone"), "sandbox.mjs");
  await copyFile(await builtServer(), file);
  const { stdout } = await run(process.execPath, [file, "--help"], { cwd: dirname(file), env: {} });
  for (const option of ["--workspace", "--state", "--token", "--port", "--host", "--network", "--help"])
    expect(stdout).toContain(option);
  const server = await RunningServer.start({ file });
  const { id } = await server.client.create({ source: { sample: true } });
  expect((await server.client.call(id, "exec", { command: "true" })).ok).toBe(true);
  await server.stop();
  expect(await readdir(dirname(file))).toEqual(["sandbox.mjs"]);
});

test("invalid options are reported in one line without a stack", { tags: "long" }, async () => {
  const file = await builtServer();
  const workspace = await freshFolder("workspace");
  const taken = await RunningServer.start();
  for (const [args, text] of [
    [["--hurry"], "--help"],
    [["--port", "x"], "port"],
    [["--network", "some"], "--network"],
    [["--workspace", join(workspace, "missing")], "is not a folder"],
    [["--workspace", workspace, "--state", join(workspace, "state")], "inside the workspace"],
    [["--state", join(workspace, "s"), "--port", new URL(taken.url).port], "EADDRINUSE"],
    [["--token", "short"], "32"],
  ] as const) {
    const env = {
      PATH: process.env.PATH,
      SANDBOX_TOKEN: token,
      HANDRAIL_STATE: join(workspace, "..", "state"),
    };
    const failed: unknown = await run(process.execPath, [file, ...args], { env }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(text) });
    expect(failed).toMatchObject({ stderr: expect.stringMatching(/^sandbox: [^\n]+\n$/) });
  }
  await taken.stop();
});
