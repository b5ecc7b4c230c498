// Files that commands leave in a workspace run nothing on the host: plain git is then run in every folder of
// it.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { gitEverywhere, hostGit, newHome } from "./host-git.ts";
import type { Attack } from "./left-behind-attack.ts";
import { editorAttacks, editorMoves } from "./left-behind-editors.ts";
import { nestedAttacks } from "./left-behind-nested.ts";
import { newAttacks } from "./left-behind-new.ts";
import { ownAttacks } from "./left-behind-own.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let base: string;
let home: string;
let cases = 0;

beforeAll(async () => {
  base = await freshFolder("served");
  home = newHome(dirname(base));
  makeTemplate();
  server = await RunningServer.start({ workspace: base });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

interface Place {
  root: string;
  mark: string;
  /** A file of the person's that lies next to the workspace. */
  outside: string;
  run(command: string, more?: Record<string, unknown>): Promise<ExecValue>;
}

/** The initial content of every workspace here, next to the served folder. */
const template = () => join(dirname(base), "template");
/**
 * The mark that `evil` leaves. Its path is the same for all workspaces, so that the program can be committed
 * once.
 */
const markOfAll = () => join(dirname(base), "mark");

/** The setup takes twenty runs of git, so it is made once and copied for each workspace. */
function makeTemplate(): void {
  const root = template();
  mkdirSync(root);
  git(root, "init", "-q");
  writeFileSync(join(root, "a.txt"), "one\n");
  writeFileSync(join(root, "evil"), `#!/bin/sh\ntouch '${markOfAll()}'\ncat\n`);
  chmodSync(join(root, "evil"), 0o755);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  for (const nested of ["nested", "renamed"]) repository(join(root, nested));
  renameSync(join(root, "renamed", ".git"), join(root, "renamed", "g"));
  git(root, "init", "-q", "--bare", "store.git");
  const model = join(dirname(base), "model");
  repository(model);
  git(root, "submodule", "--quiet", "add", model, "lib");
  git(root, "commit", "-qm", "module");
  git(root, "worktree", "add", "-q", "linked");
}

/** A new workspace, made before the server knows it. */
async function newPlace(): Promise<Place> {
  cases += 1;
  const name = `case-${cases}`;
  const root = join(base, name);
  const [mark, outside] = [markOfAll(), join(dirname(base), `${name}.outside`)];
  rmSync(mark, { force: true });
  writeFileSync(outside, "the person's\n");
  cpSync(template(), root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  // Both worktrees are named by absolute paths.
  git(root, "worktree", "repair", "linked");
  const { id } = await server.client.create({ source: { path: name } });
  const run = (command: string, more: Record<string, unknown> = {}) =>
    server.client.value(ExecValue, id, "exec", { command, env: { OUTSIDE: outside }, ...more });
  return { root: realpathSync(root), mark, outside, run };
}

function git(cwd: string, ...args: string[]): string {
  return hostGit(home, cwd, ...args);
}

function repository(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(path);
  git(path, "init", "-q");
  writeFileSync(join(path, "n.txt"), "n\n");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "n");
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function attacked({ commands, gone = [] }: Attack, place: Place): Promise<void> {
  for (const command of commands) await place.run(command);
  for (const path of gone) expect([path, isThere(join(place.root, path))]).toEqual([path, false]);
  gitEverywhere(home, place.root);
  expect(existsSync(place.mark)).toBe(false);
  expect(readFileSync(place.outside, "utf8")).toBe("the person's\n");
}

/** `npm test` tries every 48th attack, `npm run test:all` every 4th, and `npm run test:length` the others. */
const tagOf = (n: number) => (n % 48 === 0 ? [] : n % 4 === 0 ? "long" : "length");

describe("git on the host runs nothing that a command left:", () => {
  const attacks = [...ownAttacks, ...nestedAttacks, ...newAttacks];
  const run = async (attack: Attack) => attacked(attack, await newPlace());
  for (const [n, attack] of attacks.entries()) test(attack.name, { tags: tagOf(n) }, () => run(attack));
});

describe("editors and shells on the host find nothing that a command left:", () => {
  const attacks = [...editorAttacks, ...editorMoves];
  const run = async (attack: Attack) => attacked(attack, await newPlace());
  for (const [n, attack] of attacks.entries()) test(attack.name, { tags: tagOf(n) }, () => run(attack));
});
