// What a person's repository would start, by hooks, filters and drivers, is not started by what the server does with worktrees.
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let home: string;
const git = (...args: string[]) => hostGit(home, workspace, ...args).trim();
const lines = (first: string, last: string) => `${first}\n${"same\n".repeat(20)}${last}\n`;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  server = await RunningServer.start({ workspace });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

/** Each leaves a file `ran-…` where git runs it. */
async function programs(): Promise<void> {
  const ran = (name: string) => `touch ran-${name}; cat`;
  git("config", "filter.p.clean", ran("clean"));
  git("config", "filter.p.smudge", ran("smudge"));
  git("config", "diff.p.textconv", `sh -c 'touch ran-textconv; cat "$0"'`);
  git("config", "diff.p.command", "touch ran-diff");
  git("config", "merge.p.driver", "touch ran-merge; git merge-file %A %O %B");
  git("config", "core.fsmonitor", "touch ran-fsmonitor; false");
  git("config", "core.editor", "touch ran-editor;");
  git("config", "commit.gpgSign", "true");
  git("config", "gpg.program", "touch ran-gpg");
  const hooks = join(workspace, ".git", "hooks");
  await mkdir(hooks, { recursive: true });
  for (const name of ["pre-commit", "post-commit", "post-checkout", "post-merge", "reference-transaction"]) {
    await writeFile(join(hooks, name), `#!/bin/sh\ntouch ran-${name}\n`);
    await chmod(join(hooks, name), 0o755);
  }
}

test("not when one is made, brought back by a merge or a pick, looked at, and deleted", async () => {
  const put = (name: string, text: string) => writeFile(join(workspace, name), text);
  git("init", "-q", "-b", "main");
  await put(".gitattributes", "*.txt filter=p diff=p merge=p\n");
  await put("a.txt", lines("first", "last"));
  git("add", "--all");
  git("commit", "-qm", "first");
  const create = async () =>
    (await server.client.create({ worktree: { when: "always", name: "programs" } })).id;
  const early = await create();
  await put("a.txt", lines("first of the folder", "last"));
  git("commit", "-qam", "second");
  await programs();

  const run = async (id: string, command: string) =>
    (await server.client.value(ExecValue, id, "exec", { command })).stdout;
  const late = await create();
  for (const [id, name, how] of [
    [early, "a.txt", { how: "merge" }],
    [late, "b.txt", { how: "pick", paths: ["b.txt"] }],
  ] as const) {
    await run(id, `printf %s '${lines("first", "last of the session")}' > ${name}; rm -f ran-*`);
    expect((await server.client.get(`/sandboxes/${id}/worktree`)).status).toBe(200);
    expect(await server.client.post(`/sandboxes/${id}/bring-back`, how)).toMatchObject({
      body: { done: true },
    });
    expect(await run(id, "ls -d ran-* .git/ran-* 2>/dev/null"), JSON.stringify(how)).toBe("");
    await run(id, "echo uncommitted > left.txt");
    await server.client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
  }
  const merged = await readFile(join(workspace, "a.txt"), "utf8");
  expect(merged).toBe(lines("first of the folder", "last of the session"));
  const all = await readdir(workspace, { recursive: true });
  expect(all.filter((name) => /(^|\/)ran-/.test(name))).toEqual([]);
});
