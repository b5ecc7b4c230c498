// A workspace whose git folder is outside: files that a command leaves there run nothing on the host either.
// @module-tag long
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { gitEverywhere, hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const attacks = [
  'mkdir -p c/objects c/refs; printf "[core]\\nrepositoryformatversion=0\\nfsmonitor=$PWD/evil\\n" > c/config; echo $PWD/c > $D/commondir; echo $PWD/c > $C/commondir',
  "rm -f $D/COMMIT_EDITMSG; ln -s $OUTSIDE $D/COMMIT_EDITMSG",
  "rm -f $D/logs/HEAD $C/logs/refs/heads/main; ln -s $OUTSIDE $D/logs/HEAD; ln -s $OUTSIDE $C/logs/refs/heads/main",
  "mkdir $D/rebase-merge; git rev-parse HEAD | tee $D/rebase-merge/onto > $D/rebase-merge/orig-head; echo refs/heads/main > $D/rebase-merge/head-name; echo exec $PWD/evil > $D/rebase-merge/git-rebase-todo; touch $D/rebase-merge/interactive",
  "printf '[core]\\nfsmonitor=%s/evil\\n' $PWD > $D/config.worktree; printf '[core]\\nfsmonitor=%s/evil\\n' $PWD >> $C/config",
  "cp evil $D/hooks/pre-commit; cp evil $C/hooks/pre-commit",
];

describe.each(["a folder of a larger repository", "a linked worktree"])("%s", (kind) => {
  let server: RunningServer;
  let home: string;
  let main: string;
  let workspace: string;
  let id: string;
  let mark: string;
  let outside: string;
  beforeAll(async () => {
    main = await freshFolder("main");
    home = newHome(dirname(main));
    [mark, outside] = [join(dirname(main), "mark"), join(dirname(main), "outside")];
    writeFileSync(outside, "the person's\n");
    hostGit(home, main, "init", "-q");
    mkdirSync(join(main, "part"));
    writeFileSync(join(main, "part", "evil"), `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(join(main, "part", "evil"), 0o755);
    hostGit(home, main, "add", "-A");
    hostGit(home, main, "commit", "-qm", "first");
    hostGit(home, main, "worktree", "add", "-q", join(dirname(main), "linked"));
    workspace = join(kind === "a linked worktree" ? join(dirname(main), "linked") : main, "part");
    if (kind === "a linked worktree") workspace = dirname(workspace);
    writeFileSync(join(workspace, "evil"), readFileSync(join(main, "part", "evil")), { mode: 0o755 });
    server = await RunningServer.start({ workspace });
    id = (await server.client.create()).id;
  });
  afterAll(async () => {
    await server.stop();
    await removeFolders();
  });

  test.each(attacks)("%s", async (command) => {
    const where =
      "D=$(git rev-parse --absolute-git-dir); C=$(git rev-parse --path-format=absolute --git-common-dir)";
    const args = { command: `${where}; ${command}`, env: { OUTSIDE: outside } };
    await server.client.value(ExecValue, id, "exec", args);
    gitEverywhere(home, main);
    gitEverywhere(home, workspace);
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(outside, "utf8")).toBe("the person's\n");
  });
});
