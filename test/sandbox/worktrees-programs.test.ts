// The server's work with worktrees starts none of the programs (hooks, filters, drivers) that a person's
// repository names.
// @module-tag long
import { chmod, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
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

/** Each program leaves a file `ran-…` if git runs it. */
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

test("not when one is created, brought back by a merge or a pick, looked at, and deleted", async () => {
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

const targets = [
  "config",
  "hooks/post-index-change",
  "info/attributes",
  "branches/b",
  "modules/s/config",
  "worktrees/other/commondir",
];
test.each(targets)("not through a link to %s that a background command makes meanwhile", async (to) => {
  const path = `linked-${targets.indexOf(to)}`;
  const folder = join(workspace, path);
  await mkdir(folder);
  const inFolder = (...args: string[]) => hostGit(home, folder, ...args).trim();
  inFolder("init", "-q", "-b", "main");
  inFolder("commit", "-q", "--allow-empty", "-m", "first");
  const { id } = await server.client.create({ source: { path }, worktree: { when: "always" } });
  inFolder("worktree", "add", "-q", "--detach", `${folder}-other`);
  const other = (await readdir(join(folder, ".git", "worktrees")))[0] ?? "";
  await rename(join(folder, ".git", "worktrees", other), join(folder, ".git", "worktrees", "other"));
  for (const name of ["branches", "modules/s"]) await mkdir(join(folder, ".git", name), { recursive: true });
  const now = async () => [
    await readFile(join(folder, ".git", "config"), "utf8"),
    await readFile(join(folder, ".git", "worktrees", "other", "commondir"), "utf8"),
    ...(await Promise.all(
      ["hooks", "info", "branches", "modules/s"].map((name) => readdir(join(folder, ".git", name))),
    )),
  ];
  const before = await now();

  const exec = (args: Record<string, unknown>) => server.client.value(ExecValue, id, "exec", args);
  await exec({ command: "echo new > new.txt" });
  const link = `ln -sfT ../../${to} COMMIT_EDITMSG`;
  await exec({ command: `cd $(git rev-parse --git-dir); while :; do ${link}; done`, background: true });
  const body = { how: "merge", message: "[alias]\n\tst = !touch pwned" };
  await server.client.post(`/sandboxes/${id}/bring-back`, body);
  await server.client.value(ExecValue, id, "background", { stop: true });
  expect(await now()).toEqual(before);
});
