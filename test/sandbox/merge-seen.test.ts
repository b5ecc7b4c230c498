// A merge that is brought back is git's own merge of both sides with the person's choices, even if a program
// writes to the index while the server merges.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import { RepositoryGit } from "../../sandbox/worktrees/repository-git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, removeFolders, token } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

let server: RunningServer;
let client: SandboxClient;
let workspace: string;
let home: string;
let id: string;
/** Runs once, just before git's command `before` in the worktree, after the merge has begun. */
let meanwhile: { before: string; work(worktree: string): void } | undefined;
let merging = false;

const git = (...args: string[]) => hostGit(home, workspace, ...args).trim();
const put = (name: string, text: string) => writeFileSync(join(workspace, name), text);
/** Writes entries of the worktree's index: `MODE ID STAGE<tab>PATH`. Mode 0 removes an entry. */
const entries = (worktree: string, ...list: string[]) =>
  execFileSync("git", ["-C", worktree, "update-index", "--index-info"], {
    ...{ input: `${list.join("\n")}\n`, env: { ...process.env, HOME: home } },
  });
const evil = (worktree: string) =>
  execFileSync("git", ["-C", worktree, "hash-object", "-w", "--stdin"], {
    input: "evil\n",
    encoding: "utf8",
  }).trim();
const none = "0".repeat(40);
const back = (choices: Record<string, string>) =>
  client.post(`/sandboxes/${id}/bring-back`, { how: "merge", choices });

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  put("a.txt", "a\n");
  put("b.txt", "b\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  server = await startServer({
    ...{ token, workspace, state: await freshFolder("state"), port: 0, host: "127.0.0.1", network: "none" },
    ...{ privateSources: false, tools: [], commandBytes: 4 * 1024 ** 3, diskQuotaBytes: 0, networkHosts: [] },
  });
  client = new SandboxClient(`http://127.0.0.1:${server.port}`, token);
  const { run } = RepositoryGit.prototype;
  vi.spyOn(RepositoryGit.prototype, "run").mockImplementation(function (this: RepositoryGit, ...args) {
    const [words] = args;
    if (merging && words.includes(meanwhile?.before ?? "")) {
      meanwhile?.work(this.place.root);
      meanwhile = undefined;
    }
    if (words[0] === "merge") merging = true;
    return run.apply(this, args);
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
  await removeFolders();
});
beforeEach(async () => {
  merging = false;
  ({ id } = await client.create({ worktree: { when: "always" } }));
  // Both sides change both files.
  await client.value(ExecValue, id, "exec", { command: "echo session >> a.txt; echo session >> b.txt" });
  put("a.txt", `${readFileSync(join(workspace, "a.txt"), "utf8")}folder\n`);
  put("b.txt", `${readFileSync(join(workspace, "b.txt"), "utf8")}folder\n`);
  git("commit", "-qam", "theirs");
});

test.each<[string, string, (worktree: string) => void]>([
  [
    "the file that the person's choice made",
    "write-tree",
    (worktree) => entries(worktree, `100644 ${evil(worktree)} 0\ta.txt`),
  ],
  [
    "the side that the person chose",
    "--unmerged",
    (worktree) => {
      const conflict = execFileSync("git", ["-C", worktree, "ls-files", "--unmerged", "a.txt"]);
      const mine = conflict.toString().replace(/\w+ 2\t/, `${evil(worktree)} 2\t`);
      entries(worktree, `0 ${none}\ta.txt`, mine.trim());
    },
  ],
  [
    "a conflict, which is then none",
    "--unmerged",
    (worktree) => entries(worktree, `0 ${none}\ta.txt`, `100644 ${evil(worktree)} 0\ta.txt`),
  ],
])("nothing is brought back if a program replaces %s", { tags: "long" }, async (_name, before, work) => {
  const head = git("rev-parse", "HEAD");
  let worktree = "";
  meanwhile = {
    before,
    work: (place) => {
      worktree = place;
      work(place);
    },
  };
  const answer = await back({ "a.txt": "session", "b.txt": "session" });
  expect(meanwhile).toBeUndefined();
  expect([answer.status, git("rev-parse", "HEAD"), git("status", "--short")]).toEqual([412, head, ""]);
  // The merge in the worktree was aborted too, and the session's own files are back.
  expect(readFileSync(join(worktree, "a.txt"), "utf8")).toMatch(/session\n$/);
  const inWorktree = (...args: string[]) => hostGit(home, worktree, ...args).trim();
  expect([inWorktree("status", "--short"), inWorktree("ls-files", "--unmerged")]).toEqual(["", ""]);
  expect(existsSync(inWorktree("rev-parse", "--path-format=absolute", "--git-path", "MERGE_HEAD"))).toBe(
    false,
  );
});
