// No command line that the allow-list accepts changes a file. Lines from a grammar that knows the ways to
// write are really run.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, readlink, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkAllowed, runAllowed } from "../../sandbox/allow-list/run-allowed.ts";
import { baseEnvironment, machinePath } from "../../sandbox/exec/environment.ts";
import { runs } from "../harness/runs.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let workspace: string;

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@example.org", "-C", workspace, ...args]);

/** A repository whose configuration runs `./evil` wherever git would allow it; `evil` leaves a file behind. */
beforeAll(async () => {
  workspace = await freshFolder("workspace");
  const put = (name: string, text: string) => writeFile(join(workspace, name), text);
  await put("a.txt", "one\ntwo\nthree\n");
  await put("b.txt", "two\none\n");
  await put("list", "a.txt\nb.txt\n");
  await put("x.json", '{"name":"x"}\n');
  await put("evil", "#!/bin/sh\ntouch owned\ncat\n");
  await chmod(join(workspace, "evil"), 0o755);
  await mkdir(join(workspace, "src"));
  await put("src/c.ts", "export const two = 2;\n");
  await put(".gitattributes", "* filter=evil diff=evil merge=evil\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  await put("a.txt", "one\ntwo\nfour\n");
  const settings = {
    ...{
      "core.fsmonitor": "./evil",
      "core.pager": "./evil",
      "core.editor": "./evil",
      "core.sshCommand": "./evil",
    },
    ...{ "diff.external": "./evil", "diff.evil.command": "./evil", "diff.evil.textconv": "./evil" },
    ...{ "filter.evil.clean": "./evil", "filter.evil.smudge": "./evil", "filter.evil.process": "./evil" },
    ...{
      "gpg.program": "./evil",
      "log.showSignature": "true",
      "pager.log": "./evil",
      "pager.diff": "./evil",
    },
    ...{
      "core.hooksPath": "hooks",
      "alias.status": "!./evil",
      "alias.x": "!./evil",
      "core.askPass": "./evil",
    },
    ...{ "credential.helper": "!./evil", "pretty.p": "%G?", "interactive.diffFilter": "./evil" },
  };
  for (const [key, value] of Object.entries(settings)) git("config", key, value);
  await put(
    ".git/more",
    '[core]\n\tfsmonitor = ./evil\n[diff "evil"]\n\ttextconv = ./evil\n[filter "inc=luded"]\n\tclean = ./evil\n',
  );
  git("config", "include.path", "more");
  await mkdir(join(workspace, "hooks"));
  for (const hook of ["post-index-change", "reference-transaction", "pre-commit", "post-checkout"]) {
    await put(`hooks/${hook}`, "#!/bin/sh\ntouch owned\n");
    await chmod(join(workspace, "hooks", hook), 0o755);
  }
  await symlink("a.txt", join(workspace, "link"));
  // The index now considers this file possibly changed, so refreshing would write the index.
  await utimes(join(workspace, "b.txt"), new Date(0), new Date(0));
});
afterAll(removeFolders);

async function everything(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(`${path}/`, ...(await everything(path)));
    else if (entry.isSymbolicLink()) found.push(`${path} -> ${await readlink(path)}`);
    else
      found.push(
        `${path} ${createHash("sha256")
          .update(await readFile(path))
          .digest("hex")}`,
      );
  }
  return found.sort();
}

async function ranAll(line: string, cwd = workspace): Promise<boolean> {
  try {
    checkAllowed(line);
  } catch {
    return false;
  }
  const env = baseEnvironment("/nonexistent", machinePath());
  // Links and paths that lead out are detected only here.
  await runAllowed(line, { cwd, env, timeoutMs: 5_000, maxOutputBytes: 10_000 }, { root: workspace }).catch(
    () => undefined,
  );
  return true;
}

const words = (text: string) => fc.constantFrom(...text.split(" "));
const programs = words(
  "ls cat head tail wc stat du sort uniq diff file tree jq date sed find grep rg cut tr nl tac cmp comm paste od md5sum sha256sum test printf echo column realpath which fold",
);
const gitVerbs = words(
  "status diff log show blame ls-files ls-tree rev-parse rev-list merge-base describe shortlog branch tag remote cat-file grep config gc add stash checkout archive",
);
const options = words(
  "-o -oowned --output=owned --output owned -w -i -n -p -r -c -f -x -s -u -z -d -D -m -e -E -l -O -Oevil -exec -delete -fprint --pre --pre=./evil --hostname-bin=./evil --textconv --ext-diff --no-index --open-files-in-pager=./evil --compress-program=./evil -T. --files0-from=list --check -C -M --set=1 --stat --cached --raw --dirty --all -a -v --list --pretty=p --format=%G? --color --filters -S1 -1 -g --sort=size --word-diff --submodule=diff --patch --refresh --from-file=evil --in-place --expression=w",
);
const operands = words(
  "a.txt b.txt owned list src . link x.json HEAD HEAD~0 main HEAD:a.txt evil ./evil -- {} ; + -name -print 1p 1,2p w 1wowned 1ep s/a/b/e .name two",
);
const word = fc.oneof({ weight: 3, arbitrary: options }, { weight: 4, arbitrary: operands });
const single = fc
  .tuple(
    fc.oneof(
      programs,
      gitVerbs.map((verb) => `git ${verb}`),
    ),
    fc.array(word, { maxLength: 4 }),
  )
  .map(([program, rest]) => [program, ...rest].join(" "));
const line = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 1, arbitrary: fc.tuple(single, single).map((pair) => pair.join(" && ")) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(single, words("; | > >> & || < $( ` \n <( {"), single)
      .map(([left, sign, right]) => `${left} ${sign} ${right}`),
  },
);

test("no accepted line changes a file, git's own included, or runs a program of the repository", {
  tags: "random",
}, async () => {
  const before = await everything(workspace);
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      if (!(await ranAll(text))) return;
      ran += 1;
      expect([text, await everything(workspace)]).toEqual([text, before]);
    }),
    { numRuns: runs(600, 60) },
  );
  expect(ran).toBeGreaterThan(runs(50, 5));
});

test.each([
  "git status",
  "git diff",
  "git diff HEAD",
  "git diff --stat",
  "git log -p",
  "git log --stat --pretty=p",
  "git show HEAD",
  "git blame a.txt",
  "git grep two",
  "git ls-files -m",
  "git describe --always",
  "git cat-file -p HEAD:a.txt",
  "git branch -a",
])("git starts nothing that the repository names: %s", async (text) => {
  const before = await everything(workspace);
  expect(await ranAll(text)).toBe(true);
  expect(await everything(workspace)).toEqual(before);
});

test("nor in a nested repository, in a submodule, or in a folder made to look like one", async () => {
  const inner = join(workspace, "src", "inner");
  execFileSync("git", ["init", "-q", inner]);
  await writeFile(join(inner, ".gitattributes"), "* filter=bad diff=bad\n");
  await writeFile(join(inner, "f.txt"), "1\n");
  const at = ["-c", "user.name=P", "-c", "user.email=p@example.org", "-C", inner];
  execFileSync("git", [...at, "add", "-A"]);
  execFileSync("git", [...at, "commit", "-qm", "x"]);
  await writeFile(join(inner, "f.txt"), "second\n");
  await writeFile(join(workspace, "evil2"), `#!/bin/sh\ntouch ${workspace}/owned\ncat\n`);
  await chmod(join(workspace, "evil2"), 0o755);
  for (const key of ["filter.bad.clean", "diff.bad.textconv", "core.fsmonitor", "diff.external"])
    execFileSync("git", [...at, "config", key, join(workspace, "evil2")]);
  git(
    "-c",
    "core.fsmonitor=false",
    "-c",
    "filter.evil.clean=cat",
    "-c",
    "filter.evil.process=",
    "add",
    "src/inner",
  );
  const bare = join(workspace, "looks");
  execFileSync("git", ["init", "-q", "--bare", bare]);
  execFileSync("git", ["-C", bare, "config", "core.worktree", workspace]);
  execFileSync("git", ["-C", bare, "config", "core.bare", "false"]);
  execFileSync("git", ["-C", bare, "config", "core.fsmonitor", join(workspace, "evil2")]);
  // Making all this may have run the programs.
  await rm(join(workspace, "owned"), { force: true });
  const before = await everything(workspace);
  for (const cwd of [workspace, inner, bare])
    for (const text of [
      "git status",
      "git diff",
      "git diff --submodule=diff",
      "git log -p --submodule=diff",
      "git ls-files -m",
    ])
      await ranAll(text, cwd);
  expect(await everything(workspace)).toEqual(before);
});
