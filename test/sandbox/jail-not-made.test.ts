// If a command's jail cannot be made, the command did not run, and no exit code is reported for it.
import { chmod, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

/** A bubblewrap that fails while the file `none-left` exists, as on a kernel without free namespaces. */
async function failingBubblewrap(): Promise<{ folder: string; flag: string }> {
  const folder = await freshFolder("bin");
  const flag = join(folder, "none-left");
  const fails = "echo 'bwrap: Creating new namespace failed: No space left on device' >&2; exit 1";
  await writeFile(
    join(folder, "bwrap"),
    `#!/bin/sh\n[ -e ${flag} ] && { ${fails}; }\nexec ${findProgram("bwrap")} "$@"\n`,
  );
  await chmod(join(folder, "bwrap"), 0o755);
  return { folder, flag };
}

test("a command whose jail could not be created has no exit code, in the workspace and in a copy of it", async () => {
  const { folder, flag } = await failingBubblewrap();
  const workspace = await freshFolder("workspace");
  const server = await RunningServer.start({
    workspace,
    env: { PATH: `${folder}${delimiter}${process.env.PATH}` },
  });
  const { id, baseSnapshot: tree } = await server.client.create();
  const run = (command: string, args = {}) => server.client.call(id, "exec", { command, ...args });
  const says = "echo 'bwrap: Creating new namespace failed' >&2; exit 1";
  expect(await run(says)).toMatchObject({ ok: true, value: { exitCode: 1 } });
  await writeFile(flag, "");
  expect(await run("echo hello")).toMatchObject({
    ok: false,
    error: { code: "internal", message: "The command was not run: its jail could not be made." },
  });
  expect(await run("echo hello", { tree })).toMatchObject({ ok: false });
  await rm(flag);
  expect(await run("echo hello")).toMatchObject({ ok: true, value: { exitCode: 0, stdout: "hello\n" } });
  await server.stop();
});
