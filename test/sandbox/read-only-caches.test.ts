// Programs that keep caches beside the sources, run by a command that must not write to the workspace.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { oneSandbox } from "./one-sandbox.ts";

const { sandbox, exec } = oneSandbox();

const read = (command: string, env = {}) => exec(command, "readonly", env);

test("caches go to a writable folder, and the caller's own settings take precedence", async () => {
  const command = 'mkdir -p "$XDG_CACHE_HOME" && touch "$XDG_CACHE_HOME/x" && echo "$PYTEST_ADDOPTS"';
  expect(await read(command)).toMatchObject({ exitCode: 0, stdout: "-p no:cacheprovider\n" });
  expect((await read(command, { PYTEST_ADDOPTS: "-q" })).stdout).toBe("-q\n");
  const free = await exec("env", "write");
  expect(free.stdout).not.toMatch(/PYTEST|CACHE/);
});

test.skipIf(findProgram("python3") === undefined)("python imports a module without a complaint", async () => {
  await writeFile(join(sandbox().workspace, "part.py"), "x = 1\n");
  expect(await read("python3 -v -c 'import part' 2>&1 | grep -ci 'could not\\|read-only'")).toMatchObject({
    stdout: "0\n",
  });
});

test("a failing command says what the jail denied it, a successful one does not", async () => {
  expect((await read("touch x")).held).toEqual({ readonly: true, network: "none" });
  expect((await read("true")).held).toBeUndefined();
  const failed = await exec("false", "write");
  expect(failed.held).toEqual({ readonly: false, network: "none" });
});
