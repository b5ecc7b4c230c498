// A snapshot has the bytes that are on the disk, and an archive all of its files, whatever the attributes of a
// workspace say.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { oneSandbox } from "./one-sandbox.ts";

const { sandbox, exec } = oneSandbox();

test.each([
  ["text eol=crlf", "one\ntwo\n"],
  ["text", "one\r\ntwo\n"],
  ["ident", "$Id$\n$Id: 1234$\n"],
  ["filter=none", "text\n"],
  ["text working-tree-encoding=UTF-16LE", "\ufeffé\n"],
  ["export-ignore", "kept\n"],
  ["export-subst", "$Format:%H$\n"],
  ["-diff", "shown\n"],
])("the attribute %s", async (attribute, content) => {
  const { server, workspace, id } = sandbox();
  const put = (name: string, text: string) => writeFileSync(join(workspace, name), text);
  put(".gitattributes", `*.x ${attribute}\n`);
  put("a.x", content);
  const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
  put("a.x", `${content}more\n`);
  const diff = await server.client.value(GitValue, id, "git", { verb: "diff", since: snapshot });
  expect(diff.stdout).toContain("+more");
  rmSync(join(workspace, "a.x"));
  await server.client.value(SnapshotValue, id, "restore", { snapshot });
  expect(readFileSync(join(workspace, "a.x"), "utf8")).toBe(content);
  const archive = await server.client.fetch(`/sandboxes/${id}/archive`);
  mkdirSync(join(workspace, ".unpacked"), { recursive: true });
  writeFileSync(join(workspace, ".unpacked", "it.tar.gz"), new Uint8Array(await archive.arrayBuffer()));
  const { stdout } = await exec("cd .unpacked && tar -xzf it.tar.gz && cat a.x", "write");
  expect(stdout).toBe(content);
  rmSync(join(workspace, ".unpacked"), { recursive: true });
});
