// What git starts, reads and writes by the settings of a repository or of the person, it does not when the server
// runs it for its own purposes. Git runs here without a jail, which would hide most of it.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runGit } from "../../sandbox/workspace/git-process.ts";
import { onThisMachine, quietRepository } from "../../sandbox/workspace/repository-config.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
let home: string;
/** A program that leaves a mark. */
let evil: string;
let mark: string;
const git = (...args: string[]) => hostGit(home, root, ...args);
const put = (name: string, text: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
};

beforeEach(async () => {
  root = await freshFolder("workspace");
  home = newHome(dirname(root));
  [evil, mark] = [join(dirname(root), "evil"), join(dirname(root), "ran")];
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
  chmodSync(evil, 0o755);
  put("a.txt", "one\n");
  git("init", "-q");
  git("config", "user.name", "Person");
  git("config", "user.email", "person@example.org");
  git("add", "-A");
  git("commit", "-qm", "first");
});
afterEach(() => vi.unstubAllEnvs());
afterAll(removeFolders);

/** Runs git as the server does, whether it succeeds or not. */
async function own(
  args: string[],
  more: { input?: string; env?: Record<string, string>; cwd?: string } = {},
) {
  const accept = Array.from({ length: 256 }, (_, code) => code);
  const { stdout, stderr } = await runGit(args, { cwd: root, accept, ...more });
  return stdout + stderr;
}
const set = (settings: Record<string, string>) => {
  for (const [key, value] of Object.entries(settings)) git("config", key, value);
};

const commit = ["commit", "-q", "--allow-empty", "-m", "x"];

describe("no program is started that a repository names as", () => {
  const signed = (format: string, key: string) =>
    [{ "gpg.format": format, [key]: "EVIL", "user.signingkey": "x" }, [...commit, "-S"]] as const;
  test.each<[string, readonly [Record<string, string>, readonly string[]]]>([
    ["its watch of files", [{ "core.fsmonitor": "EVIL" }, ["status"]]],
    ["its editor", [{ "core.editor": "EVIL" }, ["commit", "--allow-empty"]]],
    ["its ssh", [{ "core.sshCommand": "EVIL" }, ["ls-remote", "ssh://host.invalid/x"]]],
    ["a transport", [{ "protocol.ext.allow": "always" }, ["ls-remote", "ext::EVIL"]]],
    ["its gpg", signed("openpgp", "gpg.program")],
    ["its ssh-keygen", signed("ssh", "gpg.ssh.program")],
    ["its gpgsm", signed("x509", "gpg.x509.program")],
  ])("%s", async (_, [settings, args]) => {
    const named = (text: string) => text.replace("EVIL", evil);
    set(Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, named(value)])));
    await own(args.map(named));
    expect(existsSync(mark)).toBe(false);
    // The same does start it where git is not kept from it.
    try {
      hostGit(home, root, ...args.map(named));
    } catch {}
    expect(existsSync(mark)).toBe(true);
  });

  test("a hook, wherever its hooks are", async () => {
    for (const folder of [".git/hooks", "hooks"]) {
      put(`${folder}/pre-commit`, readFileSync(evil, "utf8"));
      chmodSync(join(root, folder, "pre-commit"), 0o755);
    }
    await own(commit);
    set({ "core.hooksPath": "hooks" });
    await own(commit);
    expect(existsSync(mark)).toBe(false);
  });

  test("a hook that its settings name, as git 2.54 and later run it", async () => {
    set({ "hook.a.b.command": evil, "hook.a.b.event": "pre-commit" });
    const env = await quietRepository(onThisMachine(root));
    await own(commit, { env });
    expect(existsSync(mark)).toBe(false);
    // Older versions run no such hook, so the setting that counts is read too.
    expect(await own(["config", "hook.a.b.command"], { env })).toBe("true\n");
  });

  test("its helper for passwords", async () => {
    set({ "credential.helper": evil });
    await own(["credential", "fill"], { input: "protocol=https\nhost=x.invalid\n\n" });
    expect(existsSync(mark)).toBe(false);
  });

  test("a filter, a textconv or a merge driver", async () => {
    put(".gitattributes", "*.txt filter=f=1 diff=d\nm.txt merge=m\n*.long filter=l\n");
    set({ "filter.f=1.clean": evil, "filter.f=1.smudge": evil, "filter.f=1.required": "true" });
    set({ "filter.l.process": evil, "filter.l.required": "true" });
    set({ "diff.d.textconv": evil, "diff.d.cachetextconv": "true", "merge.m.driver": evil });
    const env = await quietRepository(onThisMachine(root));
    const quiet = (...args: string[]) => own(args, { env });
    put("m.txt", "1\n2\n3\n");
    put("a.long", "long\n");
    expect(await quiet("add", "-A")).toBe("");
    await quiet("commit", "-qm", "base");
    await quiet("checkout", "-q", "-b", "side");
    put("m.txt", "1\n2\nthree\n");
    await quiet("commit", "-qam", "side");
    await quiet("checkout", "-q", "-");
    put("m.txt", "one\n2\n3\n");
    await quiet("commit", "-qam", "main");
    await quiet("merge", "-q", "-m", "both", "side");
    expect(await quiet("show", "--textconv", "HEAD:m.txt")).toBe("one\n2\nthree\n");
    expect(await quiet("log", "-p", "--textconv", "--format=", "-1", "side")).toContain("+three");
    rmSync(join(root, "a.long"));
    expect(await quiet("checkout", "--", "a.long")).toBe("");
    expect(existsSync(mark)).toBe(false);
    expect(git("for-each-ref", "refs/notes")).toBe("");
    // Nothing is fetched either.
    expect(await quiet("ls-remote", root)).toContain("not allowed");
  });
});

describe("a repository does not change", { tags: "long" }, () => {
  test("which of its files are text", async () => {
    put("attributes", "*.txt -diff\n");
    set({ "core.attributesFile": join(root, "attributes") });
    put("a.txt", "two\n");
    expect(await own(["diff"])).toContain("+two");
  });

  test("whether a commit is signed", async () => {
    set({ "commit.gpgSign": "true", "gpg.program": evil });
    expect(await own(commit)).toBe("");
  });

  test("what a log says of signatures", async () => {
    const [head, ...body] = git("cat-file", "commit", "HEAD").split("\n\n");
    const signature = "gpgsig -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----";
    put("forged", `${head}\n${signature}\n\n${body.join("\n\n")}`);
    const id = git("hash-object", "-t", "commit", "-w", "forged").trim();
    set({ "log.showSignature": "true" });
    expect(await own(["log", "-1", "--format=%s", id])).toBe("first\n");
    expect(git("log", "-1", "--format=%s", id)).not.toBe("first\n");
  });

  test("which commit is read, by replacing it", async () => {
    const [, first = ""] = [git("commit", "-q", "--allow-empty", "-m", "second"), git("rev-parse", "HEAD~1")];
    git("replace", "HEAD", first.trim());
    expect(await own(["log", "-1", "--format=%s"])).toBe("second\n");
  });

  test("that a difference only reads", async () => {
    utimesSync(join(root, "a.txt"), 1, 1);
    const before = readFileSync(join(root, ".git", "index"));
    await own(["diff"]);
    await own(["status"]);
    expect(readFileSync(join(root, ".git", "index"))).toEqual(before);
  });

  test("that no other program tidies up afterwards", async () => {
    // Git guesses the number of objects from those in this folder.
    for (const name of ["a", "b", "c"]) put(`.git/objects/17/${name.repeat(38)}`, "");
    set({ "gc.auto": "1", "maintenance.auto": "true", "submodule.recurse": "true" });
    expect(await own(commit, { env: { GIT_TRACE: "1" } })).not.toContain("run_command");
    expect(await own(["gc", "--auto"], { env: { GIT_TRACE: "1" } })).not.toContain("run_command");
  });

  test("that a folder which only looks like a repository is none", async () => {
    for (const name of ["objects", "refs"]) mkdirSync(join(root, "bare", name), { recursive: true });
    put("bare/HEAD", "ref: refs/heads/main\n");
    put("bare/config", "[core]\n\tbare = true\n");
    const cwd = join(root, "bare");
    expect(await own(["rev-parse", "--absolute-git-dir"], { cwd })).not.toContain(`${cwd}\n`);
  });

  test("which submodules are touched", async () => {
    set({ "submodule.recurse": "true" });
    expect(await own(["config", "--get", "submodule.recurse"])).toBe("false\n");
  });
});

test("neither the person's settings nor their programs are looked for", { tags: "long" }, async () => {
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Other\n[core]\n\texcludesFile = ~/ignored\n");
  mkdirSync(join(home, ".config", "git"), { recursive: true });
  writeFileSync(join(home, ".config", "git", "ignore"), "b.txt\n");
  vi.stubEnv("HOME", home);
  put("b.txt", "new\n");
  expect(await own(["config", "--global", "--list"])).toBe("");
  const system = { GIT_CONFIG_SYSTEM: join(home, ".gitconfig") };
  expect(await own(["config", "--list"], { env: system })).not.toContain("Other");
  // A path in the person's home, wherever it is named, is only one that does not exist.
  set({ "core.excludesFile": "~/ignored" });
  expect(await own(["status", "--porcelain"])).toContain("b.txt");
  put("programs/git-evil", `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(join(root, "programs", "git-evil"), 0o755);
  vi.stubEnv("PATH", `programs:${process.env.PATH}`);
  await own(["evil"]);
  expect(existsSync(mark)).toBe(false);
});
