// The state folder's disk is full at one write after another of a whole session. Reports are true, nothing
// half written counts, nothing happens twice, and everything works again once there is room. Mounting a small
// disk needs root.
// @module-tag long
import { execFileSync, spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { diskError } from "../../sandbox/paths/disk-error.ts";
import { GitRunner } from "../../sandbox/workspace/git-runner.ts";
import { ErrorInfo } from "../../shared/errors.ts";
import { CallResult, type CallsRequestInput } from "../../shared/sandbox.ts";
import { random } from "../fakes/model-stream.ts";
import { fileExists, freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";
import type { Answer } from "./sandbox-client.ts";
import { event } from "./turn-journal.ts";

const diskBytes = 6 * 1024 * 1024;
const diskFiles = 2_000;
const pageBytes = 4_096;
const id = "box";
const turnId = "turn";

let state: string;
let workspace: string;
let server: RunningServer;
const mounted: string[] = [];

async function smallDisk(): Promise<boolean> {
  state = await freshFolder("state");
  const options = `size=${diskBytes},nr_inodes=${diskFiles}`;
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", state]);
  if (status === 0) mounted.push(state);
  return status === 0;
}

afterEach(async () => {
  await server?.stop().catch(() => undefined);
  for (const path of mounted.splice(0)) execFileSync("umount", ["-l", path]);
  await removeFolders();
});

/** Runs `work` while only `pages` pages are free on the disk. */
async function withRoom<T>(pages: number, work: () => Promise<T>): Promise<T> {
  const filler = join(state, "filler");
  const { bavail, bsize } = statfsSync(state);
  const bytes = bavail * bsize - pages * pageBytes;
  if (bytes > 0) await writeFile(filler, Buffer.alloc(bytes));
  try {
    return await work();
  } finally {
    await rm(filler, { force: true });
  }
}

const wordsOf = ({ body }: Answer) => z.parse(z.object({ error: ErrorInfo }), body).error;

/**
 * Sends a request that the disk may fail. It is then refused with a message that names the disk, and accepted
 * when there is room.
 */
async function request(pages: number, send: () => Promise<Answer>): Promise<void> {
  const first = await withRoom(pages, send);
  if (first.status < 300) return;
  const { code, message, retryable, details } = wordsOf(first);
  expect({ pages, code, retryable, folder: details?.folder, message }).toEqual({
    ...{ pages, code: "disk_full", retryable: true, folder: "state" },
    message: expect.stringContaining("state folder (HANDRAIL_STATE, or --state) is full. Make room on it"),
  });
  const second = await send();
  expect([pages, second.status, second.body]).toEqual([pages, expect.any(Number), expect.anything()]);
  expect(second.status).toBeLessThan(300);
}

const bodyOf = (round: number, calls: CallsRequestInput["calls"]): CallsRequestInput => ({
  access: "write",
  turn: { id: turnId, epoch: 1, round, record: [] },
  calls,
});

/**
 * Sends a call that the disk may fail. `ran`: counts how often its effect exists. Returns its last result.
 */
async function call(
  pages: number,
  round: number,
  [op, args]: readonly ["exec" | "change" | "snapshot" | "restore" | "read", Record<string, unknown>],
  ran?: () => Promise<number>,
): Promise<CallResult> {
  const send = (key = `${turnId}/${round}/0`) =>
    server.client.post(`/sandboxes/${id}/calls`, bodyOf(round, [{ key, op, args }]));
  const resultIn = ({ status, body }: Answer): CallResult | undefined => {
    if (status !== 200) return undefined;
    const lines = String(body)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return z.parse(
      CallResult,
      lines.find(({ type }) => type === "result"),
    );
  };
  const answer = await withRoom(pages, () => send());
  const first = resultIn(answer);
  const told = first ? first.error : wordsOf(answer);
  const count = await ran?.();
  const where = `${op} with ${pages} pages`;
  if (first?.ok) {
    if (count !== undefined) expect([where, count]).toEqual([where, 1]);
    return first;
  }
  expect([where, told?.message, told?.code]).toEqual([
    where,
    told?.message,
    expect.stringMatching(/^(disk_full|outcome_unknown)$/),
  ]);
  expect([where, told?.message]).toEqual([
    where,
    expect.stringMatching(/state folder|could not be written down/),
  ]);
  // A call that is reported as failed and repeatable must have had no effect.
  if (told?.code === "disk_full" && count !== undefined)
    expect([where, told.message, count]).toEqual([where, told.message, 0]);
  let second = resultIn(await send());
  // A recorded failure remains the result of its key. If the outcome is unknown, a person checks whether the
  // effect exists.
  const again = second?.error?.code === "disk_full" || (told?.code === "outcome_unknown" && !count);
  if (again) second = resultIn(await send(`${turnId}/${round}/0/again`));
  const after = await ran?.();
  if (after !== undefined) expect([where, after]).toEqual([where, 1]);
  if (told?.code === "disk_full") expect([where, second?.error]).toEqual([where, undefined]);
  if (!second) throw new Error(`${where}: no result`);
  return second;
}

const linesOf = async (file: string) =>
  (await readFile(join(workspace, file), "utf8").catch(() => "")).split("\n").filter(Boolean).length;

/** Everything that a session writes, with a given number of free pages before each step. */
async function session(pages: () => number): Promise<void> {
  await request(pages(), () => server.client.post("/sandboxes", { id }));
  await request(pages(), () =>
    server.client.post(`/sandboxes/${id}/turns/${turnId}/claim`, {
      ...{ epoch: 1, inputHash: "a".repeat(64), record: [event(1, "turn.started"), event(2, "message")] },
      posted: gzipSync(Buffer.from(Array.from({ length: 9_000 }, (_, n) => (n * 7_919) % 251))).toString(
        "base64",
      ),
    }),
  );
  await call(pages(), 1, ["exec", { command: "echo ran >> one.txt; seq 3000" }], () => linesOf("one.txt"));
  await call(pages(), 2, ["change", { files: [{ path: "new.txt", content: "made\n", base: null }] }], () =>
    linesOf("new.txt"),
  );
  const taken = await call(pages(), 3, ["snapshot", {}]);
  const snapshot = z.parse(z.object({ snapshot: z.string() }), taken.value).snapshot;
  const contents = () =>
    execFileSync("git", ["hash-object", "new.txt", "one.txt", "src/a.txt"], {
      cwd: workspace,
      encoding: "utf8",
    });
  const [store = ""] = stores();
  const kept = execFileSync("git", ["--git-dir", store, "ls-tree", "-r", snapshot], { encoding: "utf8" });
  expect(kept.replace(/^100644 blob (\S+)\t.*$/gm, "$1")).toBe(contents());
  await call(pages(), 4, ["exec", { command: "echo ran >> two.txt; echo b > src/a.txt" }], () =>
    linesOf("two.txt"),
  );
  await request(pages(), () =>
    server.client.post(`/sandboxes/${id}/calls`, {
      turn: { id: turnId, epoch: 1, round: 5, record: [event(3, "message", { text: "x".repeat(20_000) })] },
      calls: [],
    }),
  );
  await call(pages(), 6, ["restore", { snapshot }]);
  expect([await linesOf("two.txt"), await linesOf("src/a.txt")]).toEqual([0, 2_000]);
  await request(pages(), () =>
    server.client.post(`/sandboxes/${id}/turns/${turnId}/steer`, { id: "s", text: "More" }),
  );
  await request(pages(), () =>
    server.client.post(`/sandboxes/${id}/calls`, {
      turn: {
        id: turnId,
        epoch: 1,
        round: 7,
        record: [event(4, "turn.done", { reason: "stop", rounds: 1 })],
      },
      calls: [],
    }),
  );
}

/** The data on the disk is intact afterwards, and the next server reads the same. */
async function whole(): Promise<void> {
  const before = await server.client.journal(id, turnId);
  await server.kill();
  server = await RunningServer.start({ state, workspace });
  const after = await server.client.journal(id, turnId);
  expect(after.slice(0, before.length)).toEqual(before);
  // These lines belong to calls whose result could not be written.
  for (const line of after.slice(before.length))
    expect(line).toMatchObject({ type: "result", error: { code: "outcome_unknown" } });
  const records = before.flatMap((line) => (line.type === "record" ? line.events.map((one) => one.id) : []));
  expect(records).toEqual([1, 2, 3, 4]);
  const again = before.flatMap((line) => ("seq" in line ? [line.seq] : []));
  expect(again).toEqual(again.map((_, index) => index + 1));
  // A running server renews its lease through such a temporary file every second.
  await server.stop();
  const left = spawnSync(
    "find",
    [state, "-name", ".tmp-*", "-o", "-name", "tmp_*", "-o", "-name", "*.lock", "-o", "-name", "*.damaged-*"],
    { encoding: "utf8" },
  );
  expect(left.stdout).toBe("");
  for (const store of stores()) {
    const { status, stdout, stderr } = spawnSync(
      "git",
      ["--git-dir", store, "fsck", "--full", "--no-dangling"],
      { encoding: "utf8" },
    );
    expect([status, stdout, stderr.replace(/^notice.*\n/gm, "")]).toEqual([0, "", ""]);
    expect(await readFile(join(store, "info", "attributes"), "utf8")).toContain("-text");
  }
}

const stores = () =>
  spawnSync("find", [state, "-type", "d", "-name", "snapshots.git"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean);

async function open(): Promise<void> {
  if (mounted.length === 0 && !(await smallDisk())) throw new Error("no disk could be mounted");
  workspace = await freshFolder("workspace");
  await mkdir(join(workspace, "src"));
  await writeFile(join(workspace, "src", "a.txt"), "a\n".repeat(2_000));
  server = await RunningServer.start({ state, workspace });
}

describe.runIf(await smallDisk())("a full disk", () => {
  test.each([0, 1, 2, 3, 5, 8, 14, 26])("with %i pages left before each step", async (pages) => {
    await open();
    await session(() => pages);
    await whole();
  });

  test("out of inodes makes `git add --ignore-errors` fail, though git itself only skips what it could not write", async () => {
    if (mounted.length === 0) await smallDisk();
    const root = await freshFolder("workspace");
    const store = join(state, "git");
    execFileSync("git", ["init", "--quiet", "--bare", "--template=", store]);
    for (let n = 0; n < 8; n += 1) await writeFile(join(root, `f${n}`), `${n}\n`);
    const names = Array.from({ length: statfsSync(state).ffree - 8 }, (_, n) => join(state, `filler-${n}`));
    await Promise.all(names.map((name) => writeFile(name, "")));
    const env = { GIT_DIR: store, GIT_WORK_TREE: root, GIT_INDEX_FILE: join(store, "index") };
    const add = { args: ["-c", "core.bare=false", "add", "--ignore-errors", "--", "."], env, accept: [0, 1] };
    const git = new GitRunner({ root, jail: undefined });
    const refused = await git.one(add).catch((error: unknown) => error);
    expect(diskError(refused, "state")).toMatchObject({ code: "disk_full", details: { reason: "full" } });
    await Promise.all(names.map((name) => rm(name)));
    expect((await git.one(add)).exitCode).toBe(0);
  });

  test("at the end of a command keeps its result: only its changes are looked at later", async () => {
    await open();
    await server.client.create({ id });
    for (let pages = 0; pages < 8; pages += 1) {
      const command = `echo ran >> ${pages}.txt; touch begun${pages}; until [ -e go${pages} ]; do sleep 0.02; done`;
      const calls = [{ key: `long-${pages}`, op: "exec" as const, args: { command } }];
      const running = server.client.results(id, { access: "write", calls });
      await until(() => fileExists(join(workspace, `begun${pages}`)));
      const [result] = await withRoom(pages, async () => {
        await writeFile(join(workspace, `go${pages}`), "");
        return running;
      });
      expect([pages, result]).toMatchObject([pages, { ok: true, value: { exitCode: 0 } }]);
      const [again] = await server.client.results(id, { access: "write", calls });
      expect([again, await linesOf(`${pages}.txt`)]).toMatchObject([{ ok: true, replayed: true }, 1]);
    }
  });

  test.each([1, 2, 3, 4])("with different room before each step, seed %i", async (seed) => {
    await open();
    const next = random(seed);
    await session(() => Math.floor(next() * 40));
    await whole();
  });
});
