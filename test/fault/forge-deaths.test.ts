// From a commit to a merge while processes die: the test kills the edge or the sandbox server before and
// after every single request between them, git and the forge. Every tap is a double tap, and another phone
// taps too. In the end there must be exactly one of each effect.
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { GitState } from "../../shared/delivery.ts";
import { type RunningForge, startPlayedForge } from "../fakes/forge/forge-server.ts";
import { forgeToken } from "../fakes/forge/played-forge.ts";
import { spread } from "../harness/runs.ts";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "../sandbox/running-server.ts";
import { suiteToken } from "./edge-life.ts";
import { RealEdge } from "./real-edge.ts";
import { type StepProxy, startStepProxy } from "./step-proxy.ts";

type Victim = "edge" | "sandbox";
interface Death {
  victim: Victim;
  /**
   * Number of the request in the case, from 1. `before`: the request is not passed on yet. `after`: its
   * answer has arrived.
   */
  step: number;
  when: "before" | "after";
}

/**
 * Deaths for a case of at least `steps` undisturbed requests: a process dies at each of them, alternately
 * before it and after its answer.
 */
const deathsOf = (victim: Victim, steps: number, first: 0 | 1): Death[] =>
  Array.from({ length: steps }, (_, n) => ({
    step: n + 1,
    when: (n + first) % 2 === 0 ? ("before" as const) : ("after" as const),
    victim,
  }));

let running: RunningForge;
let sandbox: RunningServer;
let edge: RealEdge;
let proxies: { sandbox: StepProxy; forge: StepProxy };
let served: string;
let home: string;
let workspace: string;
let id: string;
let cases = 0;
/** The next death; undefined = it has happened. */
let next: Death | undefined;
let passed: string[] = [];

async function at(when: "before" | "after", what: string): Promise<void> {
  // The edge polls for turns without a runner now and then. These requests are not steps of the case.
  if (what === "GET /v1/turns") return;
  if (when === "before") passed.push(what);
  if (next === undefined || next.when !== when || passed.length < next.step) return;
  const { victim } = next;
  next = undefined;
  await (victim === "edge" ? edge.kill() : sandbox.kill());
}

let mending: Promise<void> | undefined;
/** Restarts the dead process, once for all requests that wait for it. */
function mended(): Promise<void> {
  mending ??= (async () => {
    if (!edge.runs) await edge.start();
    if (!(await answers(sandbox.url))) {
      sandbox = await RunningServer.start({ workspace: served, state: sandbox.state, env: { HOME: home } });
      proxies.sandbox.leadTo(sandbox.url);
    }
  })().finally(() => {
    mending = undefined;
  });
  return mending;
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/health`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer !== undefined;
}

/** Asks until the answer is one that a retry would not change. */
async function ask(path: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }> {
  for (let tries = 1; ; tries += 1) {
    const { host } = new URL(proxies.forge.url);
    const headers = {
      authorization: `Bearer ${suiteToken}`,
      "content-type": "application/json",
      "x-git-token": forgeToken,
      "x-git-remote": `${host}/team/app`,
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    try {
      const answer = await fetch(`${edge.url}/api/sandboxes/${id}${path}`, init);
      const json = JSON.parse((await answer.text()) || "{}") as Record<string, unknown>;
      const again = (json.error as { retryable?: boolean } | undefined)?.retryable === true;
      if (!again || tries === 8) return { status: answer.status, json };
    } catch (error) {
      if (tries === 8) throw error;
    }
    await mended();
  }
}

/** A double tap on one phone, and a tap on another. */
const taps = (path: string, what: string, body: object) =>
  Promise.all(["one", "one", "two"].map((phone) => ask(path, { key: `${what}-${cases}-${phone}`, ...body })));

const git = (...args: string[]) => hostGit(home, workspace, ...args).trim();

beforeAll(async () => {
  await build(["node", "sandbox"]);
  running = await startPlayedForge();
  running.forge.git("config", "core.logAllRefUpdates", "always");
  served = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  sandbox = await RunningServer.start({ workspace: served, env: { HOME: home } });
  proxies = {
    sandbox: await startStepProxy(sandbox.url, at),
    forge: await startStepProxy(running.origin, at),
  };
  edge = await RealEdge.open(proxies.sandbox.url, "http://127.0.0.1:9/v1", {
    HANDRAIL_FORGES: `github=${proxies.forge.url}`,
  });
});
afterAll(async () => {
  await edge.kill();
  await sandbox.stop();
  for (const proxy of Object.values(proxies)) proxy.close();
  await running.close();
  await removeFolders();
});
beforeEach(async () => {
  next = undefined;
  cases += 1;
  workspace = await mkdtemp(join(served, "workspace-"));
  git("clone", "-q", running.forge.gitFolder, ".");
  git("remote", "set-url", "origin", `${proxies.forge.url}/${running.forge.repository}.git`);
  await writeFile(join(workspace, "new.txt"), `case ${cases}\n`);
  await mended();
  id = (await sandbox.client.create({ source: { path: basename(workspace) } })).id;
  passed = [];
});

const madeWhile = [...deathsOf("edge", 20, 0), ...deathsOf("sandbox", 20, 1)];

test.each(spread([...madeWhile, undefined], 1, 6))(
  "one branch, one commit, one push, one pull request: %j dies",
  { tags: "seeds", timeout: 120_000 },
  async (death) => {
    const branch = `handrail/case-${cases}`;
    next = death;
    const commits = await taps("/commit", "commit", { message: "New", paths: ["new.txt"], branch });
    const made = new Set(commits.flatMap(({ json }) => (json.commit ? [json.commit] : [])));
    expect([[...made].length, commits.some(({ status }) => status === 200)]).toEqual([1, true]);
    const [commit] = made;
    const pushes = await taps("/push", "push", { branch, commit });
    expect(pushes.map(({ status, json }) => [status, json.commit])).toEqual(Array(3).fill([200, commit]));
    const pulls = await taps("/pull-request", "pull", { title: "New", body: "", draft: false, branch });
    const { length: before } = running.forge.pulls;
    expect(pulls.map(({ status, json }) => [status, json.number])).toEqual(Array(3).fill([200, before]));
    if (death !== undefined) expect(next, `${passed.join("\n")}`).toBeUndefined();

    await mended();
    next = undefined;
    expect(running.forge.pulls.filter(({ head }) => head === branch)).toHaveLength(1);
    expect([running.forge.headOf(branch), git("rev-parse", "HEAD"), git("status", "--porcelain")]).toEqual([
      commit,
      commit,
      "",
    ]);
    expect(git("log", "--format=%s", "origin/main..HEAD")).toBe("New");
    expect(git("branch", "--format=%(refname:short)").split("\n").toSorted()).toEqual([branch, "main"]);
    const moves = running.forge.git("reflog", "show", "--format=%H", branch).split("\n");
    expect(moves).toEqual([commit]);
    const { json } = await ask("/git");
    expect(GitState.parse(json)).toMatchObject({ branch, ahead: 0, behind: 0, upstream: `origin/${branch}` });
    const left = await readdir(join(sandbox.state, "sandboxes", id));
    expect(left.filter((name) => name.startsWith("push"))).toEqual([]);
  },
);

// In these cases the sandbox server is asked only for the repository's state.
const endedWhile = [
  ...deathsOf("edge", 32, 1),
  ...deathsOf("sandbox", 32, 0).filter(({ step }) => step % 4 === 1),
];

test.each(spread([...endedWhile, undefined], 1, 6))(
  "one answer, one resolved thread, one merge, one deleted branch: %j dies",
  { tags: "seeds", timeout: 120_000 },
  async (death) => {
    const { forge } = running;
    const branch = `handrail/case-${cases}`;
    forge.git("update-ref", `refs/heads/${branch}`, forge.headOf("main") ?? "");
    const head = forge.write(branch, { [`${cases}.txt`]: "new\n" }, "New");
    const pull = forge.open({ title: "New", body: "", head: branch, base: "main", draft: false });
    const { number } = pull;
    const threads = ["one", "two"].map((name) => `${name}-${cases}`);
    const line = { by: "bob", text: "Why?", path: "a.txt", line: 1, resolved: false };
    pull.threads.push(...threads.map((name) => ({ ...line, id: name })));
    next = death;

    const answer = { number, thread: threads[0], text: "Since it was asked for.", resolve: true };
    // Unlike the requests below, the answer is sent twice in sequence: the edge recognizes a repetition only
    // once the forge has the first one.
    for (const _ of ["one", "two"]) expect((await ask("/pull-request/answer", answer)).status).toBe(204);
    const once = async (what: string, body: object) =>
      Promise.all(["one", "one", "two"].map(() => ask(`/pull-request/${what}`, { number, ...body })));
    const resolved = await once("resolve", { thread: threads[1] });
    expect(resolved.map(({ status }) => status)).toEqual([204, 204, 204]);
    const merged = await once("merge", { head });
    expect(merged.map(({ status, json }) => [status, json.state])).toEqual(Array(3).fill([200, "merged"]));
    const deleted = await once("delete-branch", {});
    expect(deleted.map(({ status }) => status)).toEqual([204, 204, 204]);
    if (death !== undefined) expect(next, `${passed.join("\n")}`).toBeUndefined();

    expect(pull.threads.map(({ resolved: is, answers }) => [is, answers])).toEqual([
      [true, [{ by: "ada", text: "Since it was asked for." }]],
      [true, undefined],
    ]);
    const merges = forge.git("log", "--format=%s", "main").split("\n");
    expect(merges.filter((subject) => subject === `Merge #${number}`)).toHaveLength(1);
    expect([pull.state, forge.headOf(branch)]).toEqual(["merged", null]);
  },
);
