// A commit contains exactly what the person saw, even if a program writes to the file while git reads it.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import { RepositoryGit } from "../../sandbox/worktrees/repository-git.ts";
import { Committed } from "../../shared/delivery.ts";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, removeFolders, token } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

let server: RunningServer;
let client: SandboxClient;
let workspace: string;
let home: string;
let id: string;
let count = 0;
/** Runs once, just before git reads the files that were chosen as a whole. */
let meanwhile: (() => void) | undefined;
/** Runs just before git reads a commit back. */
let readBack: ((commit: string) => void) | undefined;

const git = (...args: string[]) => hostGit(home, workspace, ...args).trim();
const at = (name: string) => join(workspace, name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const headFile = (path: string) => hostGit(home, workspace, "show", `HEAD:${path}`);
const request = (args: object) => ({ key: `key-${++count}`, message: "Change it", ...args });
const commit = (args: object) => client.value(Committed, id, "commit", request(args));
const refusal = (args: object) => client.failure(id, "commit", request(args));

/** The file in the phone's difference since HEAD, as a choice to commit it whole. */
async function seen(path: string): Promise<{ path: string; seen: string }> {
  const args = { verb: "diff", since: "HEAD" };
  const text = (await client.value(GitValue, id, "git", args, "readonly")).stdout;
  const block = text.split(/^(?=diff --git )/m).find((one) => one.startsWith(`diff --git a/${path} `)) ?? "";
  return { path, seen: /^index (\S+)/m.exec(block)?.[1] ?? (block.includes("\nnew mode ") ? ".." : "none") };
}

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  server = await startServer({
    ...{ token, workspace, state: await freshFolder("state"), port: 0, host: "127.0.0.1", network: "none" },
    ...{ privateSources: false, tools: [], commandBytes: 4 * 1024 ** 3, diskQuotaBytes: 0, networkHosts: [] },
  });
  client = new SandboxClient(`http://127.0.0.1:${server.port}`, token);
  const { run } = RepositoryGit.prototype;
  vi.spyOn(RepositoryGit.prototype, "run").mockImplementation(function (this: RepositoryGit, ...args) {
    if (args[0].includes("add")) {
      meanwhile?.();
      meanwhile = undefined;
    }
    if (args[0][0] === "cat-file") readBack?.(args[0][2] ?? "");
    return run.apply(this, args);
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
  await removeFolders();
});
beforeEach(async () => {
  meanwhile = readBack = undefined;
  for (const name of [".git", ".gitattributes", "a.txt", "b.txt", "c.txt"])
    rmSync(at(name), { recursive: true, force: true });
  put("a.txt", "a\n");
  put("b.txt", "b\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  ({ id } = await client.create());
});

const refusedAt = (path: string) => ({
  code: "stale_file",
  message: `${path} has changed since you looked at it. Nothing was written; look at the changes again.`,
});

test.each<[how: string, work: () => void]>([
  ["has different text", () => put("a.txt", "not shown\n")],
  ["is gone", () => rmSync(at("a.txt"))],
  ["is what HEAD has", () => put("a.txt", "a\n")],
  [
    "is a link with the same text",
    () => {
      rmSync(at("a.txt"));
      symlinkSync("shown\n", at("a.txt"));
    },
  ],
  ["may be run", () => chmodSync(at("a.txt"), 0o755)],
  [
    "is a folder",
    () => {
      rmSync(at("a.txt"));
      mkdirSync(at("a.txt"));
      put("a.txt/hidden", "not shown\n");
    },
  ],
])(
  "a file that %s by the time git reads it is refused, and nothing is committed",
  { tags: "long" },
  async (_, work) => {
    put("a.txt", "shown\n");
    const hunks = [await seen("a.txt")];
    meanwhile = work;
    expect(await refusal({ hunks })).toMatchObject({ code: "stale_file" });
    expect([git("log", "--format=%s"), git("diff", "--cached", "--name-only")]).toEqual(["first", ""]);
  },
);

test.each(["not shown\n", ""])(
  "a file that comes back with %j while git reads it is refused",
  async (text) => {
    rmSync(at("a.txt"));
    const hunks = [await seen("a.txt")];
    meanwhile = () => put("a.txt", text);
    expect(await refusal({ hunks })).toMatchObject(refusedAt("a.txt"));
  },
);

test("a file that is deleted and comes back as a folder while git reads it is refused", {
  tags: "long",
}, async () => {
  rmSync(at("a.txt"));
  const hunks = [await seen("a.txt")];
  meanwhile = () => {
    mkdirSync(at("a.txt"));
    put("a.txt/hidden", "not shown\n");
  };
  expect(await refusal({ hunks })).toMatchObject(refusedAt("a.txt/hidden"));
});

test("with all of a session's changes chosen, too, what was not compared is refused", async () => {
  await client.value(ExecValue, id, "exec", { command: "echo shown > a.txt" });
  meanwhile = () => put("a.txt", "not shown\n");
  expect(await refusal({})).toMatchObject(refusedAt("a.txt"));
  expect((await commit({ paths: ["a.txt"] })).files).toEqual(["a.txt"]);
});

test("a change of the mode alone is bound to the content that was there", async () => {
  chmodSync(at("a.txt"), 0o755);
  const hunks = [await seen("a.txt")];
  expect(hunks).toEqual([{ path: "a.txt", seen: ".." }]);
  put("a.txt", "not shown\n");
  expect(await refusal({ hunks })).toMatchObject(refusedAt("a.txt"));
  put("a.txt", "a\n");
  expect((await commit({ hunks })).files).toEqual(["a.txt"]);
  expect(git("ls-tree", "HEAD", "a.txt")).toMatch(/^100755/);
});

test("line ends that git converts do not count as a change; other text does", {
  tags: "long",
}, async () => {
  put(".gitattributes", "*.txt text eol=crlf\n");
  put("a.txt", "shown\r\nbytes \u0000 \u00e9\r\n");
  put("c.txt", "new\r\n");
  put("b.txt", "b\r\n");
  const hunks = await Promise.all(["a.txt", "b.txt", "c.txt"].map(seen));
  meanwhile = () => put("c.txt", "not shown\r\n");
  expect(await refusal({ hunks })).toMatchObject(refusedAt("c.txt"));
  put("c.txt", "new\r\n");
  // To git, files that differ only in line endings are the same.
  expect((await commit({ hunks })).files).toEqual(["a.txt", "c.txt"]);
  expect([headFile("c.txt"), headFile("b.txt")]).toEqual(["new\n", "b\n"]);
});

test.each([
  // In UTF-7, this comment of one line is a comment and a line of code.
  ["working-tree-encoding=UTF-7", "a\n// see +AAo-evil+ACgAKQ-\n"],
  // Git stores `$Id$` alone.
  ["ident", "a\n$Id: what the person saw $\n"],
])("a file that git would store as another text, by %s, is refused", async (attribute, text) => {
  put(".gitattributes", `*.txt ${attribute}\n`);
  put("a.txt", text);
  expect(await refusal({ hunks: [await seen("a.txt")] })).toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("its attributes make git store another text"),
  });
  expect(headFile("a.txt")).toBe("a\n");
});

test("a file that replaces a folder, and a folder that replaces a file, are committed as chosen", {
  tags: "long",
}, async () => {
  rmSync(at("a.txt"));
  mkdirSync(at("a.txt"));
  put("a.txt/within", "within\n");
  expect((await commit({ hunks: [await seen("a.txt/within")] })).files).toEqual(["a.txt", "a.txt/within"]);
  rmSync(at("a.txt"), { recursive: true });
  put("a.txt", "file\n");
  expect((await commit({ hunks: [await seen("a.txt"), await seen("a.txt/within")] })).files).toEqual([
    "a.txt",
    "a.txt/within",
  ]);
  expect(headFile("a.txt")).toBe("file\n");
});

test.skipIf(findProgram("ssh-keygen") === undefined)(
  "a commit that changed before its text is read back is not signed",
  async () => {
    rmSync(at(".git"), { recursive: true });
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "first");
    const other = git("commit-tree", "-m", "not shown", "HEAD^{tree}");
    const file = (commit: string) => at(`.git/objects/${commit.slice(0, 2)}/${commit.slice(2)}`);
    const key = join(home, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const settings = { "gpg.format": "ssh", "user.signingKey": key, "commit.gpgSign": "true" };
    for (const [name, value] of Object.entries(settings)) git("config", "--global", name, value);
    vi.stubEnv("HOME", home);
    ({ id } = await client.create());
    put("a.txt", "shown\n");
    readBack = (commit) => {
      rmSync(file(commit), { force: true });
      copyFileSync(file(other), file(commit));
    };
    expect(await refusal({ paths: ["a.txt"] })).toMatchObject({ code: "stale_file" });
    expect(git("log", "--format=%s")).toBe("first");
    readBack = undefined;
    const { commit: made } = await commit({ paths: ["a.txt"], message: "Shown" });
    expect(git("cat-file", "commit", made)).toMatch(/^gpgsig/m);
    for (const name of Object.keys(settings)) git("config", "--global", "--unset", name);
    vi.unstubAllEnvs();
  },
);
