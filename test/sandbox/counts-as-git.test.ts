// A session, a person in a terminal, a person on the phone and a second session in a worktree edit, commit and move
// HEAD in any order. The phone's number of the session's changes is always git's.
// @module-tag long
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Api } from "../../pwa/api/client.ts";
import { parseDiff } from "../../pwa/diff/parse-diff.ts";
import { measureChanges } from "../../pwa/session/count-changes.ts";
import type { Changes } from "../../shared/api.ts";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import type { SessionHead } from "../../shared/session/session-state.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { runs } from "../harness/runs.ts";
import { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const folder = servedRepositories({ "a.txt": lines(9), "b.txt": lines(5), "theirs.txt": lines(3) });

function lines(count: number): string {
  return Array.from({ length: count }, (_, n) => `line ${n}\n`).join("");
}

/** What happens, as shell commands with a fresh word for `N`. A command that does not work changes nothing. */
const edits = [
  "echo N >> a.txt",
  "sed -i 2d a.txt",
  "sed -i 1iN b.txt",
  "echo N >> b.txt",
  "echo N > new-N.txt",
];
const moves = [
  ...[
    "git commit -qam N",
    "git add -A; git commit -qm N",
    "git commit -qm N a.txt",
    "git commit -qm N b.txt",
  ],
  ...["git commit -q --amend -m N a.txt", "git add b.txt", "git checkout -q -b N", "git checkout -q main"],
  ...["git reset -q --hard", "git checkout -q -", "git stash -q"],
  ...["git merge -q --no-edit main || git merge --abort", "git rebase -q main || git rebase --abort"],
];
/** Of the person only where it takes back commits of this case, so that the files that then differ are the session's. */
const resets = ["git reset -q --soft HEAD~1", "git reset -q HEAD~1", "git reset -q --hard HEAD~1"];
const own = [
  ...[...edits, ...moves, ...resets, "git checkout -q HEAD~1 -- a.txt"],
  ...["git stash pop -q || git reset -q --hard", "git revert --no-edit HEAD || git revert --abort"],
];
const persons = [
  ...[...moves, "echo N >> theirs.txt", "git commit -qm N theirs.txt"],
  ...resets.map((reset) => `! git merge-base --is-ancestor begun HEAD~1 || ${reset}`),
];

const shell = (list: readonly string[]) => fc.constantFrom(...list);
const step = fc.oneof(
  fc.record({
    who: fc.constant("agent" as const),
    what: fc.array(shell(own), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    who: fc.constant("person" as const),
    what: fc.array(shell(persons), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    who: fc.constant("phone" as const),
    what: fc.constantFrom("commit a", "commit all", "undo commit", "undo", "revert a file", "revert a hunk"),
  }),
  fc.record({
    who: fc.constant("in the worktree" as const),
    what: fc.array(shell(own), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ who: fc.constant("restart" as const), what: fc.constant("") }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What the phone keeps and shows of one session. */
class Phone {
  readonly id: string;
  head: Pick<SessionHead, "changes" | "committed"> = { changes: {}, committed: null };
  constructor(id: string) {
    this.id = id;
  }

  async #diff(since: string | undefined, whose: "own" | "others"): Promise<GitValue> {
    return folder.server.client.value(GitValue, this.id, "git", {
      verb: "diff",
      since: since ?? "start",
      whose,
    });
  }

  readonly api = {
    changes: async (_id: string, since?: string): Promise<Changes> => {
      const [{ stdout, mixed = [], commits = [], countedFrom }, others] = [
        await this.#diff(since, "own"),
        await this.#diff(since, "others"),
      ];
      return { own: stdout, others: others.stdout, truncated: false, mixed, commits, countedFrom };
    },
  } as Partial<Api> as Api;

  /** What Changes lists, before the number is measured again. */
  async shown() {
    const { own, commits } = await this.api.changes(this.id, this.head.committed?.snapshot);
    const held = commits.flatMap(({ files }) => files);
    return parseDiff(own).filter(({ path }) => !held.includes(path));
  }

  /** The number of list and header, measured again. */
  async counted(): Promise<string[]> {
    this.head = await measureChanges(this.api, this.id, this.head.committed);
    return Object.entries(this.head.changes)
      .map(([path, { added, removed }]) => `${added} ${removed} ${path}`)
      .sort();
  }
}

/** What git counts in `root`, files that it does not track yet included. */
function gits(root: string): string[] {
  const run = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n");
  const tracked = run("diff", "--numstat", "HEAD").map((line) => line.replaceAll("\t", " "));
  const untracked = run("ls-files", "--others", "--exclude-standard")
    .filter(Boolean)
    .map((path) => `${readFileSync(join(root, path), "utf8").split("\n").length - 1} 0 ${path}`);
  return [...tracked.filter(Boolean), ...untracked].sort();
}

let words = 0;
function inWords(what: string | readonly string[]): string {
  return typeof what === "string"
    ? what
    : what.map((each) => `{ ${each.replaceAll("N", `n${++words}`)}; }`).join("\n");
}

/** Steps of the person on the phone. The session is at `phone`; `begun`: its first snapshot. */
async function onPhone(what: string, phone: Phone, begun: string): Promise<void> {
  const call = (op: "restore" | "commit", args: Record<string, unknown>) =>
    folder.server.client.call(phone.id, op, args, "write");
  const commit = (more: object) => call("commit", { key: randomUUID(), message: what, ...more });
  const shown = await phone.shown();
  const [file] = shown;
  if (what === "undo") await call("restore", { snapshot: begun, own: true });
  else if (what === "undo commit") await commit({ paths: [], undo: folder.git("rev-parse", "HEAD") });
  else if (what === "commit a") await commit({ paths: ["a.txt"] });
  else if (what === "commit all") await commit({ paths: shown.map(({ path }) => path) });
  else if (file) {
    const args = { snapshot: phone.head.committed?.snapshot ?? "start", path: file.path, seen: file.seen };
    await call("restore", what === "revert a hunk" ? { ...args, hunk: 1 } : args);
  }
}

function inTerminal(command: string): void {
  const how = { cwd: folder.workspace, env: { ...process.env, HOME: folder.home }, stdio: "ignore" } as const;
  spawnSync("bash", ["-c", command], how);
}

async function restart(): Promise<void> {
  await folder.server.stop();
  folder.server = await RunningServer.start({ workspace: folder.served, state: folder.server.state });
}

async function play(steps: readonly Step[]): Promise<void> {
  folder.git("checkout", "-q", "-f", "-B", "main", "begun");
  folder.git("clean", "-qfd");
  folder.git("stash", "clear");
  const source = { path: folder.path };
  const session = async () => new Phone((await folder.server.client.create({ source })).id);
  const phone = await session();
  const { snapshot } = await folder.server.client.value(SnapshotValue, phone.id, "snapshot", {}, "write");
  let other: Phone | undefined;
  const told: string[] = [];
  const run = ({ id }: Phone, command: string) =>
    folder.server.client.value(ExecValue, id, "exec", { command }, "write");
  for (const { who, what } of steps) {
    const text = inWords(what);
    told.push(`${who}: ${text}`);
    if (who === "agent") await run(phone, text);
    else if (who === "person") inTerminal(text);
    else if (who === "phone") await onPhone(text, phone, snapshot);
    else if (who === "restart") await restart();
    else {
      other ??= await session();
      await folder.server.client.post(`/sandboxes/${other.id}/worktree`, {});
      await run(other, text);
    }
    await check(phone, folder.workspace, told);
    if (other) await check(other, join(folder.server.state, "sandboxes", other.id, "worktree"), told);
  }
}

/** The list, the header and Changes show git's number, without files of the person alone. */
async function check(phone: Phone, root: string, told: readonly string[]): Promise<void> {
  const ofSession = (line: string) => !line.endsWith(" theirs.txt");
  const [all, git] = [await phone.counted(), gits(root)];
  expect(all.filter(ofSession), told.join("\n")).toEqual(git.filter(ofSession));
  for (const line of all) expect(git, told.join("\n")).toContain(line);
  const shown = (await phone.shown()).map(({ added, removed, path }) => `${added} ${removed} ${path}`);
  expect(shown.sort(), told.join("\n")).toEqual(all);
}

test("the number of changes is git's, whoever edits, commits, or moves HEAD", {
  tags: "random",
}, async () => {
  for (const name of ["a.txt", "b.txt", "a.txt"]) {
    await folder.put(name, `${lines(9)}${++words}\n`);
    folder.git("commit", "-qam", "before");
  }
  folder.git("tag", "begun");
  const steps = fc.array(step, { minLength: 2, maxLength: 6 });
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: runs(8, 2), endOnFailure: true });
});
