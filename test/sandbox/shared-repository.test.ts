// Two sandboxes on one repository. Changes that commands of one make to folders that both can write neither
// keep commands of the other from starting nor let them see more.
// @module-tag long
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

/** https://man7.org/linux/man-pages/man2/renameat2.2.html */
const exchange = { x64: 316, arm64: 276 }[process.arch as "x64" | "arm64"];

let server: RunningServer;
let base: string;
let home: string;
let inMain: string;
let inLinked: string;
const run = (id: string, command: string) => server.client.value(ExecValue, id, "exec", { command });

beforeAll(async () => {
  base = await freshFolder("served");
  home = newHome(dirname(base));
  hostGit(home, base, "init", "-q", "main");
  writeFileSync(join(base, "main", "a.txt"), "one\n");
  hostGit(home, join(base, "main"), "add", "-A");
  hostGit(home, join(base, "main"), "commit", "-qm", "first");
  hostGit(home, join(base, "main"), "worktree", "add", "-q", join(base, "linked"));
  server = await RunningServer.start({ workspace: base });
  inMain = (await server.client.create({ source: { path: "main" } })).id;
  inLinked = (await server.client.create({ source: { path: "linked" } })).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

describe.runIf(exchange !== undefined)("while one swaps folders and links below the refs in a loop", () => {
  test("commands of the other start, and see and write nothing of the machine", async () => {
    const outside = await freshFolder("outside");
    writeFileSync(join(outside, "secret.txt"), "secret\n");
    const refs = join(base, "main", ".git", "refs");
    const swap = `for my $i (0 .. 3) { my ($a, $b) = ("r$i", "l$i"); syscall(${exchange}, -100, $a, -100, $b, 2) }`;
    const make = `for i in 0 1 2 3; do mkdir -p r$i/objects r$i/refs r$i/worktrees r$i/hooks; : > r$i/config; ln -s /oldroot${outside} l$i; mkfifo r$i/f; done`;
    // Its target is a file that the other sandbox makes in a folder that both can write.
    const loop = `cd ${refs}; ${make}; touch begun; perl -e 'until (-e "end") { ${swap} }'; rm -rf r? l? begun end`;
    const swapping = run(inLinked, loop);
    await until(() => readdirSync(refs).includes("begun"));
    const codes: number[] = [];
    for (let round = 0; round < 8; round++) {
      const { exitCode, stdout } = await run(
        inMain,
        "cat .git/refs/*/secret.txt 2>/dev/null; touch .git/refs/*/made 2>/dev/null; true",
      );
      expect(stdout).toBe("");
      codes.push(exitCode ?? -1);
    }
    await run(inMain, "touch .git/refs/end");
    await swapping;
    expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
  });
});

test.runIf(exchange !== undefined)(
  "changes in one worktree's own folder create nothing on the machine through the other's jail",
  async () => {
    const outside = await freshFolder("outside");
    const own = join(base, "main", ".git", "worktrees", "linked");
    // Bubblewrap reports these as missing at a mount point that it makes, even through a link.
    const make = `for i in 0 1 2 3; do mkfifo f$i; ln -s /oldroot${outside}/made$i l$i; done; touch begun`;
    const swap = `for my $i (0 .. 3) { my ($a, $b) = ("f$i", "l$i"); syscall(${exchange}, -100, $a, -100, $b, 2) }`;
    const swapping = run(
      inLinked,
      `cd ${own}; ${make}; perl -e 'until (-e "../../refs/end") { ${swap} }'; rm -f f? l? begun ../../refs/end`,
    );
    await until(() => readdirSync(own).includes("begun"));
    for (let round = 0; round < 8; round++) {
      const { exitCode, timedOut, stderr } = await run(inMain, "true");
      expect({ exitCode, timedOut }, stderr).toEqual({ exitCode: 0, timedOut: false });
    }
    await run(inMain, "touch .git/refs/end");
    await swapping;
    expect(readdirSync(outside)).toEqual([]);
  },
);

test("what one leaves among the refs the other takes out as well", async () => {
  const command = `G=$(git rev-parse --git-common-dir)/refs/x; git init -q --bare $G; printf '[core]\\nfsmonitor=/bin/false\\n' >> $G/config`;
  expect((await run(inLinked, command)).stderr).toContain("refs/x/config");
});
