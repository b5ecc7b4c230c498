// A command in the background exchanges folders and links while the jails of other commands are made.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

/** https://man7.org/linux/man-pages/man2/renameat2.2.html */
const exchange = { x64: 316, arm64: 276 }[process.arch as "x64" | "arm64"];

let server: RunningServer;
let workspace: string;
let id: string;
beforeAll(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  id = (await server.client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const run = (args: Record<string, unknown>, access: "readonly" | "write") =>
  server.client.value(ExecValue, id, "exec", args, access);

test("settings below folders that it cannot move stay read-only for other commands", async () => {
  mkdirSync(join(workspace, "a/b/.vscode"), { recursive: true });
  writeFileSync(join(workspace, "a/b/.vscode/settings.json"), "{}\n");
  const command = "mv a moved 2>/dev/null; touch tried; sleep 1000";
  const { background } = await run({ command, background: true }, "write");
  await until(() => existsSync(join(workspace, "tried")));
  const written = await run({ command: "echo x > a/b/.vscode/settings.json" }, "write");
  expect(written.stderr).toContain("Read-only file system");
  expect(written.stderr).not.toContain("taken out");
  await server.client.call(id, "background", { id: background?.id, stop: true });
});

describe.runIf(exchange !== undefined)("nothing is created on the machine by", () => {
  for (const access of ["readonly", "write"] as const)
    test(`a ${access} command`, { tags: access === "write" ? "long" : [] }, async () => {
      const outside = await freshFolder("outside");
      const made = `mkdir ${access}; cd ${access}; mkdir d; mkfifo d/made; ln -s /oldroot${outside} l; touch begun`;
      const swap = `perl -e 'syscall(${exchange}, -100, my $a = "d", -100, my $b = "l", 2) until -e "end"'`;
      const { background } = await run({ command: `${made}; ${swap}`, background: true }, "write");
      await until(() => readdirSync(join(workspace, access)).includes("begun"));
      for (let round = 0; round < 8; round++)
        expect(await run({ command: "echo ran" }, access)).toMatchObject({ exitCode: 0, stdout: "ran\n" });
      writeFileSync(join(workspace, access, "end"), "");
      await server.client.call(id, "background", { id: background?.id, waitMs: 20_000 });
      expect(readdirSync(outside)).toEqual([]);
    });
});
