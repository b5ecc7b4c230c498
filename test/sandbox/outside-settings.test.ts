// Without a jail, in plan mode: a repository whose files lead git to files of the machine does not make git
// print any of them.
import { execFileSync } from "node:child_process";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let base: string;
let workspace: string;
let server: RunningServer;
let id: string;

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@example.org", "-C", cwd, ...args], {
    encoding: "utf8",
  });
const setting = (key: string, value: () => string) => () => git(workspace, "config", key, value());
const host = () => join(base, "host.txt");
const dotGit = (name: string) => join(workspace, ".git", name);

beforeAll(async () => {
  base = await freshFolder("base");
  await writeFile(join(base, "host.txt"), "the-secret-line\n");
  await writeFile(
    join(base, "host.config"),
    '[remote "x"]\n\turl = https://u:the-secret-line@example.org/\n',
  );
  workspace = join(base, "workspace");
  await mkdir(workspace);
  server = await RunningServer.start({ workspace, env: { HANDRAIL_NO_BWRAP: "1" } });
  id = (await server.client.create()).id;
  await mkdir(join(base, "other"));
  await writeFile(join(base, "other", "a.txt"), "the-secret-line\n");
  git(join(base, "other"), "init", "-q", "-b", "main");
  git(join(base, "other"), "add", "-A");
  git(join(base, "other"), "commit", "-qm", "the-secret-line");
});
beforeEach(async () => {
  await rm(dotGit(""), { recursive: true, force: true });
  await rm(join(workspace, "revs"), { force: true });
  await writeFile(join(workspace, "a.txt"), "ours\n");
  await mkdir(join(workspace, "sub"), { recursive: true });
  await rm(join(workspace, "sub", ".git"), { recursive: true, force: true });
  git(workspace, "init", "-q", "-b", "main");
  git(workspace, "add", "-A");
  git(workspace, "commit", "-qm", "first");
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const linked = (name: string) => async () => {
  await rm(dotGit(name), { force: true });
  await symlink(host(), dotGit(name));
};

test.each<{ what: string; plant(): unknown; command: string; cwd?: string }>([
  { what: "blame.ignoreRevsFile", plant: setting("blame.ignoreRevsFile", host), command: "git blame a.txt" },
  {
    what: "a link that it names",
    plant: async () => {
      await symlink(host(), join(workspace, "revs"));
      git(workspace, "config", "blame.ignoreRevsFile", "revs");
    },
    command: "git blame a.txt",
  },
  {
    what: "an included file",
    plant: setting("include.path", () => join(base, "host.config")),
    command: "git remote -v",
  },
  {
    what: "a file included by an included one",
    plant: async () => {
      await writeFile(join(workspace, "more"), "[include]\n\tpath = ../host.config\n");
      git(workspace, "config", "include.path", "../more");
    },
    command: "git remote -v",
  },
  { what: "core.worktree", plant: setting("core.worktree", () => join(base, "other")), command: "git diff" },
  { what: "mailmap.file", plant: setting("mailmap.file", host), command: "git shortlog HEAD" },
  { what: "packed-refs as a link", plant: linked("packed-refs"), command: "git log" },
  { what: "shallow as a link", plant: linked("shallow"), command: "git log" },
  {
    what: "config as a link",
    plant: async () => {
      await rename(dotGit("config"), dotGit("was"));
      await symlink(join(base, "host.config"), dotGit("config"));
    },
    command: "git remote -v",
  },
  {
    what: "alternates",
    plant: async () => {
      await writeFile(dotGit("objects/info/alternates"), `${join(base, "other", ".git", "objects")}\n`);
      await writeFile(dotGit("refs/heads/x"), git(join(base, "other"), "rev-parse", "HEAD"));
    },
    command: "git show x",
  },
  {
    what: "alternates in quotes",
    plant: async () => {
      await writeFile(
        dotGit("objects/info/alternates"),
        `${JSON.stringify(join(base, "other", ".git", "objects"))}\n`,
      );
      await writeFile(dotGit("refs/heads/x"), git(join(base, "other"), "rev-parse", "HEAD"));
    },
    command: "git show x",
  },
  {
    what: "alternates of alternates",
    plant: async () => {
      await mkdir(dotGit("more/info"), { recursive: true });
      await writeFile(dotGit("objects/info/alternates"), `${dotGit("more")}\n`);
      await writeFile(dotGit("more/info/alternates"), `${join(base, "other", ".git", "objects")}\n`);
      await writeFile(dotGit("refs/heads/x"), git(join(base, "other"), "rev-parse", "HEAD"));
    },
    command: "git show x",
  },
  {
    what: "links in place of folders of objects",
    plant: async () => {
      const theirs = join(base, "other", ".git");
      for (const name of await readdir(join(theirs, "objects")))
        await symlink(join(theirs, "objects", name), dotGit(`objects/${name}`)).catch(() => undefined);
      await symlink(join(theirs, "refs/heads/main"), dotGit("refs/heads/x"));
    },
    command: "git show x",
  },
  {
    what: "a link to a folder of the workspace that has such links",
    plant: async () => {
      const theirs = join(base, "other", ".git", "objects");
      const packed = execFileSync("git", ["-C", theirs, "pack-objects", "--all", dotGit("p")], { input: "" });
      await mkdir(dotGit("more"));
      for (const end of ["pack", "idx"]) {
        const name = `p-${packed.toString().trim()}.${end}`;
        await rename(dotGit(name), join(base, name));
        await symlink(join(base, name), dotGit(`more/pack-${name.slice(2)}`));
      }
      await rm(dotGit("objects/pack"), { recursive: true });
      await symlink("../more", dotGit("objects/pack"));
      await writeFile(dotGit("refs/heads/x"), git(join(base, "other"), "rev-parse", "HEAD"));
    },
    command: "git show x",
  },
  {
    what: "a planted .git file",
    cwd: "sub",
    plant: () => writeFile(join(workspace, "sub", ".git"), `gitdir: ${join(base, "other", ".git")}\n`),
    command: "git show HEAD",
  },
])("$what", async ({ plant, command, cwd }) => {
  await plant();
  const args = { command, ...(cwd ? { cwd } : {}) };
  expect(JSON.stringify(await server.client.call(id, "exec", args, "readonly"))).not.toContain(
    "the-secret-line",
  );
  for (const verb of ["log", "show", "diff", "status", "branch"])
    expect(JSON.stringify(await server.client.call(id, "git", { verb }, "readonly"))).not.toContain(
      "the-secret-line",
    );
});

test("files in the workspace, and what the person's own configuration names, are allowed", async () => {
  await writeFile(join(workspace, "revs"), `${git(workspace, "rev-parse", "HEAD")}`);
  git(workspace, "config", "blame.ignoreRevsFile", "revs");
  git(workspace, "config", "core.excludesFile", "/dev/null");
  const command = "git blame a.txt && git log --oneline";
  const ran = await server.client.value(ExecValue, id, "exec", { command }, "readonly");
  expect(ran).toMatchObject({ exitCode: 0 });
  expect((await server.client.value(GitValue, id, "git", { verb: "log" }, "readonly")).stdout).toContain(
    "first",
  );
});
