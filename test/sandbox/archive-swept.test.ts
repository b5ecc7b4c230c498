// What an archive brings is swept like what a command leaves, except for the settings of editors, since a person
// sends it.
// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { entry, tarOf } from "./tar-entry.ts";

afterAll(removeFolders);

test("a repository of plain names loses the settings that start programs, and editors' settings stay", async () => {
  const workspace = await freshFolder("workspace");
  const server = await RunningServer.start({ workspace });
  const { id } = await server.client.create();
  const files = [
    ["bare/HEAD", "ref: refs/heads/main\n"],
    ["bare/objects/x", ""],
    ["bare/refs/x", ""],
    ["bare/config", "[core]\n\tbare = false\n\tfsmonitor = ./x\n"],
    [".vscode/tasks.json", "{}\n"],
  ].map(([name = "", content]) => entry(name, "0", content));
  const { status } = await server.client.fetch(`/sandboxes/${id}/archive`, {
    ...{ method: "PUT", body: new Uint8Array(tarOf(...files)) },
  });
  expect(status).toBe(200);
  expect(readFileSync(join(workspace, "bare", "config"), "utf8")).toBe('[core]\n\tbare = "false"\n');
  expect(existsSync(join(workspace, ".vscode", "tasks.json"))).toBe(true);
  await server.stop();
});
