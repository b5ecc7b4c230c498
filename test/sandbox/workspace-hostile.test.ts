// A repository that names programs in every place from which git would run one: no op of the server starts
// any of them.
// @module-tag long
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ListValue, SearchValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const hooks = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "post-index-change",
  "reference-transaction",
  "post-checkout",
];

async function hostile(workspace: string, mark: string): Promise<void> {
  const evil = join(workspace, "evil");
  await writeFile(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  await chmod(evil, 0o755);
  await writeFile(join(workspace, "a.txt"), "one\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@example.org", "-C", workspace, ...args]);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  await writeFile(
    join(workspace, ".gitattributes"),
    "* filter=evil diff=evil merge=evil\n*.inc filter=a=b\n",
  );
  const keys = [
    ...["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "diff.external"],
    ...[
      "diff.evil.command",
      "diff.evil.textconv",
      "merge.evil.driver",
      "filter.evil.clean",
      "filter.evil.smudge",
    ],
    ...[
      "filter.evil.process",
      "gpg.program",
      "gpg.ssh.program",
      "pager.log",
      "credential.helper",
      "sequence.editor",
    ],
    ...[
      "core.alternateRefsCommand",
      "gc.recentObjectsHook",
      "uploadpack.packObjectsHook",
      "trailer.x.command",
    ],
  ];
  for (const key of keys) git("config", key, evil);
  for (const key of ["log.showSignature", "commit.gpgSign", "filter.evil.required", "commit.verbose"])
    git("config", key, "true");
  git("config", "core.hooksPath", "hooks");
  git("config", "alias.status", `!${evil}`);
  git("config", "include.path", "more");
  await writeFile(join(workspace, ".git", "more"), `[filter "a=b"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`);
  for (const folder of ["hooks", ".git/hooks"]) {
    await mkdir(join(workspace, folder), { recursive: true });
    for (const hook of hooks) {
      await writeFile(join(workspace, folder, hook), `#!/bin/sh\ntouch ${mark}\n`);
      await chmod(join(workspace, folder, hook), 0o755);
    }
  }
  await writeFile(join(workspace, "b.inc"), "b\n");
  await writeFile(join(workspace, "a.txt"), "changed\n");
}

afterAll(removeFolders);

describe.each([
  { name: "in the jail", env: {} },
  { name: "without a jail", env: { HANDRAIL_NO_BWRAP: "1", HANDRAIL_NO_RG: "1" } },
])("$name", ({ env }) => {
  let server: RunningServer;
  let workspace: string;
  let mark: string;
  let id: string;

  beforeAll(async () => {
    workspace = await freshFolder("workspace");
    // The mark is below the workspace, so that a program in the jail could leave it too.
    mark = join(workspace, "ran");
    await hostile(workspace, mark);
    await rm(mark, { force: true });
    server = await RunningServer.start({ workspace, env });
    id = (await server.client.create()).id;
  });
  afterAll(async () => {
    await server.stop();
  });

  test.each(["status", "diff", "log", "show", "branch"])("git %s", async (verb) => {
    const value = await server.client.value(GitValue, id, "git", { verb }, "readonly");
    expect(value.exitCode).toBe(0);
    expect(fileExists(mark)).toBe(false);
  });

  test("snapshot, diff, restore, list, search and archive", async () => {
    const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
    await writeFile(join(workspace, "a.txt"), "again\n");
    await rm(join(workspace, "b.inc"));
    const since = { verb: "diff", since: snapshot };
    expect((await server.client.value(GitValue, id, "git", since, "readonly")).stdout).toContain("+again");
    await server.client.value(SnapshotValue, id, "restore", { snapshot });
    expect((await readdir(workspace)).includes("b.inc")).toBe(true);
    expect((await server.client.value(ListValue, id, "list", {})).entries.length).toBeGreaterThan(3);
    expect(
      (await server.client.value(SearchValue, id, "search", { pattern: "changed" })).matches,
    ).toHaveLength(1);
    expect((await server.client.fetch(`/sandboxes/${id}/archive`)).status).toBe(200);
    expect(fileExists(mark)).toBe(false);
  });

  test("a change, then git add and git commit", async () => {
    await server.client.value(ChangeValue, id, "change", {
      files: [{ path: "c.txt", content: "c\n", base: null }],
    });
    expect((await server.client.value(GitValue, id, "git", { verb: "add" })).exitCode).toBe(0);
    const commit = { verb: "commit", message: "mine" };
    expect(await server.client.value(GitValue, id, "git", commit)).toMatchObject({ exitCode: 0 });
    expect(fileExists(mark)).toBe(false);
  });
});
