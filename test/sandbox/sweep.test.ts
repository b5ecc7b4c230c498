// The decision about each entry that appeared or changed while a command ran, from the scans before and after
// it, without a jail. left-behind.test.ts shows that commands cannot avoid it.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { mount, sweptFolder } from "./swept-folder.ts";

const { at, put, repository, swept, outOf } = sweptFolder();

describe("in an existing repository", () => {
  test.each(["config.worktree", "commondir", "gitdir", "remotes/a", "branches/a", "COMMONDIR"])(
    "a new %s is removed",
    async (name) => {
      expect(await outOf(() => put(`.git/${name}`))).toEqual([`.git/${name.split("/")[0]}`]);
    },
  );

  test("new settings and a lock on them are removed where there were none, and what git itself writes stays", async () => {
    rmSync(at(".git/config"));
    expect(
      await outOf(() => {
        for (const name of ["config", "config.lock", "config.worktree.lock", "index.lock"])
          put(`.git/${name}`);
        for (const name of ["index", "ORIG_HEAD", "packed-refs", "COMMIT_EDITMSG"]) put(`.git/${name}`);
      }),
    ).toEqual([".git/config", ".git/config.lock", ".git/config.worktree.lock"]);
  });

  test("hooks of a folder that is not yet a repository are removed", async () => {
    for (const name of ["HEAD", "hooks"]) rmSync(at(`.git/${name}`), { recursive: true });
    expect(await outOf(() => put(".git/hooks/pre-commit"))).toEqual([".git/hooks"]);
  });

  test("existing alternates stay, and are removed once they were rewritten", async () => {
    put(".git/objects/info/alternates", "/elsewhere/objects\n");
    expect(await outOf(() => put("a"))).toEqual([]);
    const { out, yours } = await swept(() => put(".git/objects/info/alternates", "/other/objects\n"));
    expect(out).toEqual([".git/objects/info/alternates"]);
    expect(yours).toEqual(out);
  });

  test("changed settings are reported with their previous text, and unchanged ones are not", async () => {
    const { configs } = await swept(() => put(".git/config", "[core]\n\tfsmonitor = x\n"));
    expect(configs).toEqual([{ path: ".git/config", module: false, before: "[core]\n" }]);
    expect((await swept(() => put(".git/index"))).configs).toEqual([]);
    const long = await swept(() => put(".git/config", `[core]\n${"#".repeat(300_000)}\n`));
    expect(long.configs).toMatchObject([{ path: ".git/config" }]);
  });

  test("new links, sockets and FIFOs are removed, and existing ones stay", async () => {
    symlinkSync("x", at(".git/refs/there"));
    execFileSync("mkfifo", [at(".git/objects/there")]);
    expect(
      await outOf(() => {
        symlinkSync("x", at(".git/refs/new"));
        execFileSync("mkfifo", [at(".git/objects/new")]);
      }),
    ).toEqual([".git/objects/new", ".git/refs/new"]);
  });

  test("a new unfinished rebase continues without programs, an existing one is the person's", async () => {
    put(".git/rebase-merge/git-rebase-todo", "exec x\n");
    expect((await swept(() => put("a"))).todos).toEqual([]);
    rmSync(at(".git/rebase-merge"), { recursive: true });
    const { todos } = await swept(() => put(".git/rebase-merge/git-rebase-todo", "exec x\n"));
    expect(todos).toEqual([".git/rebase-merge/git-rebase-todo"]);
  });
});

describe("new alternates, through which git also reads other objects,", () => {
  test.each([
    "/elsewhere/.git/objects",
    "../../../x/objects",
    '"/elsewhere/objects"',
    `${mount}/no-repository`,
    "../../lent/.git/objects\n/elsewhere/objects",
    `${mount}/lent/.git/objects\r`,
  ])("are removed if they name %s", async (text) => {
    repository("lent/.git");
    const out = await outOf(() => put(".git/objects/info/alternates", `${text}\n`));
    expect(out).toEqual([".git/objects/info/alternates"]);
  });

  test("are removed if they are longer than any that git writes", async () => {
    const out = await outOf(() => put(".git/objects/info/alternates", `../objects\n#${"#".repeat(5_000)}\n`));
    expect(out).toEqual([".git/objects/info/alternates"]);
  });

  test("stay if they name repositories of the workspace, as `git clone --shared` writes them", async () => {
    const text = `# lent\n${mount}/.git/objects\n../../../.git/objects\n/own/.git/objects\n`;
    const change = () => put("new/.git/objects/info/alternates", text);
    expect(await outOf(change, { repositories: ["/own/.git"] })).toEqual([]);
  });
});

describe("in a new repository", () => {
  test("hooks, old addresses and a foreign commondir are removed, samples stay, and its settings are checked", async () => {
    const { out, configs } = await swept(() => {
      repository("new/.git");
      put("new/.git/hooks/pre-commit");
      put("new/.git/hooks/pre-push.sample");
      for (const name of ["remotes", "config.lock", "config.worktree.lock"]) put(`new/.git/${name}`);
      put("new/.git/branches/b");
      put("new/.git/commondir", "/elsewhere\n");
    });
    expect(out).toEqual(
      ["branches/b", "commondir", "config.lock", "config.worktree.lock", "hooks/pre-commit", "remotes"].map(
        (name) => `new/.git/${name}`,
      ),
    );
    expect(configs).toEqual([{ path: "new/.git/config", module: false }]);
  });

  test("of a submodule, the settings are reported as a submodule's", async () => {
    const { configs } = await swept(() => repository(".git/modules/sub"));
    expect(configs).toEqual([{ path: ".git/modules/sub/config", module: true }]);
  });

  test("of a worktree, commondir and gitdir stay where they are what git writes", async () => {
    const made = (name: string, commondir: string, gitdir: string) => {
      put(`.git/worktrees/${name}/HEAD`);
      put(`.git/worktrees/${name}/commondir`, `${commondir}\n`);
      put(`.git/worktrees/${name}/gitdir`, `${gitdir}\n`);
    };
    expect(
      await outOf(() => {
        made("good", "../..", `${mount}/wt/.git`);
        made("afar", "../..", "/elsewhere/.git");
        made("file", "../..", `${mount}/wt/other`);
        made("lies", "../../..", `${mount}/wt/.git`);
        // To git the space is a part of the name.
        made("space", "../.. ", `${mount}/wt/.git`);
      }),
    ).toEqual(
      ["afar/gitdir", "file/gitdir", "lies/commondir", "space/commondir"].map(
        (name) => `.git/worktrees/${name}`,
      ),
    );
  });
});

describe("files called .git", () => {
  test.each([
    ["gitdir: ../.git/modules/a", false],
    [`gitdir: ${mount}/.git/modules/a`, false],
    ["gitdir: /elsewhere/.git", true],
    ["gitdir: ../../../elsewhere", true],
    ["/elsewhere/.git", true],
    [`gitdir: ${mount}-not/.git`, true],
  ])("%j is removed where it leads elsewhere: %s", async (line, goes) => {
    expect(await outOf(() => put("sub/.git", `${line}\n`))).toEqual(goes ? ["sub/.git"] : []);
  });

  test("may name the outside repository to which the workspace belongs", async () => {
    const write = () => put("wt/.git", "gitdir: /home/me/repo/.git/worktrees/wt\n");
    expect(await outOf(write, { repositories: ["/home/me/repo/.git"] })).toEqual([]);
  });
});

describe("what git's settings name", () => {
  test("is removed where something else took its place, and an existing link is restored", async () => {
    put("tools/hook");
    symlinkSync("tools", at("link"));
    const named = ["tools/hook", "link/hook"].map((path) => ({ path, maybe: false }));
    const { out, links } = await swept(
      () => {
        renameSync(at("tools/hook"), at("was-there"));
        put("tools/hook", "theirs\n");
        rmSync(at("link"));
        mkdirSync(at("link"));
      },
      { named },
    );
    expect(out).toEqual(["link", "tools/hook"]);
    expect(links).toEqual([{ path: "link", target: "tools" }]);
    expect(await outOf(() => put("else"), { named })).toEqual([]);
  });
});

test("what a link leads to that git's settings name is removed as well, since the link is restored", async () => {
  put("tools/hook");
  symlinkSync("tools", at("link"));
  const change = () => {
    renameSync(at("tools/hook"), at("was-there"));
    put("tools/hook", "theirs\n");
    renameSync(at("link"), at("away"));
    mkdirSync(at("link"));
  };
  const { out, links } = await swept(change, { named: [{ path: "link/hook", maybe: false }] });
  expect([out, links]).toEqual([["link", "tools/hook"], [{ path: "link", target: "tools" }]]);
});

describe("what existed and cannot be protected", () => {
  test("a repository among objects keeps its hooks and settings, and loses additions", async () => {
    repository(".git/objects/x");
    put(".git/objects/x/hooks/pre-commit");
    const { out, configs } = await swept(() => put("a"));
    expect(out).toEqual([]);
    expect(configs).toEqual([{ path: ".git/objects/x/config", module: false, before: "[core]\n" }]);
    const added = await outOf(() => put(".git/objects/x/hooks/pre-push"));
    expect(added).toEqual([".git/objects/x/hooks/pre-push"]);
  });

  test("a .git file that leads elsewhere stays, and so does a link that git's settings name", async () => {
    put("wt/.git", "gitdir: /home/me/repo/.git/worktrees/wt\n");
    put("tools/hook");
    symlinkSync("tools", at("link"));
    const named = [{ path: "link/hook", maybe: false }];
    const { out, links } = await swept(() => put("a"), { named });
    expect([out, links]).toEqual([[], []]);
  });
});

test("deleted files and sockets that are not git's are not taken out; commondir belongs to worktrees alone", async () => {
  put("tools/hook");
  put(".envrc");
  repository("lib.git");
  const named = ["tools/hook", ".envrc"].map((path) => ({ path, maybe: false }));
  const server = createServer();
  mkdirSync(at("lib.gitx"));
  const listening = () => server.listen(at("lib.gitx/s"));
  const listens = once(server, "listening");
  const looked = await outOf(
    () => {
      rmSync(at("tools/hook"));
      renameSync(at(".envrc"), at("was-there"));
      put(".envrc", "theirs\n");
      listening();
      repository("new/.git");
      put("new/.git/commondir", "../..\n");
      put("node_modules/p/index.js");
      symlinkSync("node_modules/p", at("package"));
    },
    { named },
  );
  await listens;
  server.close();
  // The entry is reported once, despite two reasons.
  expect(looked).toEqual([".envrc", "new/.git/commondir"]);
});

test("a FIFO of unknown origin is removed, and the contents of a removed folder are not reported again", async () => {
  expect(await outOf(() => execFileSync("mkfifo", [at("pipe")]))).toEqual(["pipe"]);
  expect(await outOf(() => put(".vscode/.idea/.envrc"))).toEqual([".vscode"]);
});
