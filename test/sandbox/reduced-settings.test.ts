// The settings that are left of a repository's configuration that a command made or changed: parsed by git,
// and checked key by key.
import { describe, expect, test } from "vitest";
import { reduceConfig } from "../../sandbox/jail/protected-config.ts";

const inside = (worktree: string) => worktree === "../sub";

async function reduced(text: string, before?: string) {
  const options = { mayHold: inside, ...(before === undefined ? {} : { before }) };
  return reduceConfig(text, options);
}

describe("of a new repository", () => {
  test.each([
    ["what git init writes", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare\n"],
    ["who commits", '[user]\n\tname = A "B" C\\\\D\n\temail = a@b.example\n'],
    [
      "a remote",
      '[remote "origin"]\n\turl = https://a.example/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
    ],
    ["a branch", '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'],
    ["a submodule", '[submodule "a"]\n\turl = ../a\n\tactive = true\n\tupdate = rebase\n'],
    ["a submodule's folder in the workspace", "[core]\n\tworktree = ../sub\n"],
    ["a value of several lines", '[branch "a"]\n\tdescription = "one\\n\\ttwo"\n'],
  ])("%s stays", async (_, text) => {
    expect((await reduced(text))?.dropped).toEqual([]);
  });

  test.each([
    ["core.fsmonitor", "[core]\n\tfsmonitor = ./x\n"],
    ["core.mode", "[core]\n\tmode = x\n"],
    ["core.hookspath", "[core]\n\thooksPath = x\n"],
    ["core.sshcommand", "[CORE]\n\tSSHCOMMAND = x\n"],
    ["core.worktree", "[core]\n\tworktree = /etc\n"],
    ["core.a.worktree", '[core "a"]\n\tworktree = ../sub\n'],
    ["author.a.name", '[author "a"]\n\tname = x\n'],
    ["other.worktree", "[other]\n\tworktree = ../sub\n"],
    ["include.path", "[include]\n\tpath = /etc/x\n"],
    ["includeif.gitdir:/.path", '[includeIf "gitdir:/"]\n\tpath = x\n'],
    ["alias.st", "[alias]\n\tst = !x\n"],
    ["filter.a.clean", '[filter "a"]\n\tclean = x\n'],
    ["diff.a.textconv", '[diff "a"]\n\ttextconv = x\n'],
    ["merge.a.driver", '[merge "a"]\n\tdriver = x\n'],
    ["credential.helper", "[credential]\n\thelper = x\n"],
    ["url.ext::sh -c x.insteadof", '[url "ext::sh -c x"]\n\tinsteadOf = https://a.example/\n'],
    ["remote.origin.uploadpack", '[remote "origin"]\n\tuploadpack = x\n'],
    ["remote.origin.proxy", '[remote "origin"]\n\tproxy = x\n'],
    ["remote.origin.url", '[remote "origin"]\n\turl = ext::sh -c x\n'],
    ["remote.origin.pushurl", '[remote "origin"]\n\tpushurl = fd::3\n'],
    ["remote.ext::sh -c x.fetch", '[remote "ext::sh -c x"]\n\tfetch = a\n'],
    ["branch.main.remote", '[branch "main"]\n\tremote = ext::sh -c x\n'],
    ["branch.main.pushremote", '[branch "main"]\n\tpushRemote = ext::sh -c x\n'],
    ["submodule.a.url", '[submodule "a"]\n\turl = ext::sh -c x\n'],
    ["submodule.a.update", '[submodule "a"]\n\tupdate = " !x"\n'],
    ["constructor.name", "[constructor]\n\tname = x\n"],
    ["gpg.program", "[core]\n\tbare = true\n[extensions]\n\tnoop = 1\n[gpg]\n\tprogram = x\n"],
  ])("%s is dropped", async (key, text) => {
    const { dropped = [], text: left = "" } = (await reduced(text)) ?? {};
    expect(dropped).toEqual([key]);
    expect(left).not.toContain("x\n");
    expect((await reduced(left))?.dropped).toEqual([]);
  });

  test("an address in a description does not matter", async () => {
    expect(
      (await reduced('[branch "a"]\n\tdescription = "note:: see x"\n\tmerge = a::b\n'))?.dropped,
    ).toEqual([]);
  });

  test("a branch may be named like an address", async () => {
    expect((await reduced('[branch "a::b"]\n\tmerge = refs/heads/x\n'))?.dropped).toEqual([]);
  });

  test("a text that becomes too long once git has spelled it out is refused", async () => {
    expect(await reduced(`[${"s".repeat(10_000)}]\n${"\ta\n".repeat(2_000)}`)).toBeUndefined();
  });

  test("a text that git cannot read is refused", async () => {
    expect(await reduced("[core\nx")).toBeUndefined();
    expect(await reduced("\0")).toBeUndefined();
  });

  test("what stays means the same as before, character by character", async () => {
    const text =
      '[user]\n\tname = "a\\tb\\\\ \\"c\\" #;\\n d "\n[branch "x.\\"y\\\\"]\n\tremote = origin\n\trebase\n';
    const once = await reduced(text);
    const twice = await reduced(once?.text ?? "");
    expect(once?.text).toContain('"a\\tb\\\\ \\"c\\" #;\\n d "');
    expect(once?.text).toContain('[branch "x.\\"y\\\\"]');
    expect(twice).toEqual(once);
  });
});

const had = [
  '[remote "origin"]\n\turl = https://a.example/b.git\n',
  '[branch "main"]\n\tremote = origin\n',
  '[submodule "s"]\n\turl = ../s\n',
  "[core]\n\tfsmonitor = person\n",
].join("");

describe("of an existing repository", () => {
  const changed = async (text: string) => {
    const { text: left = "", dropped = [] } = (await reduced(text, had)) ?? {};
    return { left, dropped };
  };

  test("existing settings may stay, whatever they start", async () => {
    expect((await changed(had)).dropped).toEqual([]);
  });

  test.each([
    ["another program", "[core]\n\tfsmonitor = x\n", "core.fsmonitor"],
    ["another address", '[remote "origin"]\n\turl = https://evil.example\n', "remote.origin.url"],
    [
      "an address to push to",
      '[remote "origin"]\n\tpushurl = https://evil.example\n',
      "remote.origin.pushurl",
    ],
    ["another refspec", '[remote "origin"]\n\tpush = +a:b\n', "remote.origin.push"],
    ["another address of a submodule", '[submodule "s"]\n\turl = https://evil.example\n', "submodule.s.url"],
    ["another remote for a branch", '[branch "main"]\n\tremote = evil\n', "branch.main.remote"],
    ["a remote for pushes", '[branch "main"]\n\tpushRemote = evil\n', "branch.main.pushremote"],
    ["a remote that is not there, for a new branch", '[branch "b"]\n\tremote = evil\n', "branch.b.remote"],
    ["a remote that is only a branch", '[branch "b"]\n\tremote = main\n', "branch.b.remote"],
    ["an address as a remote", '[branch "b"]\n\tremote = https://evil.example\n', "branch.b.remote"],
  ])("%s is dropped", async (_, text, key) => {
    expect((await changed(had + text)).dropped).toEqual([key]);
  });

  test.each([
    [
      "a new remote with its branch's merge",
      '[remote "up"]\n\turl = https://c.example\n[branch "main"]\n\tmerge = x\n',
    ],
    ["a new branch of a remote that was there", '[branch "b"]\n\tremote = origin\n'],
    ["a new branch of this repository", '[branch "b"]\n\tremote = .\n'],
    ["a remote that was there, for pushes", '[branch "main"]\n\tpushRemote = origin\n'],
    ["a new remote that is called like a submodule", '[remote "s"]\n\turl = https://c.example\n'],
    ["a new submodule", '[submodule "t"]\n\turl = ../t\n'],
    ["a new name", "[user]\n\tname = n\n"],
  ])("%s stays", async (_, text) => {
    expect((await changed(had + text)).dropped).toEqual([]);
  });

  test("an address that was replaced by another one is restored", async () => {
    const { left, dropped } = await changed('[remote "origin"]\n\turl = https://evil.example\n');
    expect(dropped).toEqual(["remote.origin.url"]);
    expect(left).toBe('[remote "origin"]\n\turl = "https://a.example/b.git"\n');
  });

  test("one that was merely removed is not", async () => {
    expect((await changed('[branch "main"]\n\tremote = origin\n')).left).toBe(
      '[branch "main"]\n\tremote = "origin"\n',
    );
  });

  test("a program that was replaced by another one is not", async () => {
    expect((await changed("[core]\n\tfsmonitor = x\n")).left).toBe("");
  });

  test("an additional address is dropped, and the existing one is not doubled", async () => {
    const { left } = await changed(`${had}[remote "origin"]\n\turl = https://evil.example\n`);
    expect(left.match(/a\.example/g)).toHaveLength(1);
    expect(left).not.toContain("evil");
  });
});
