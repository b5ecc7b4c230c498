// `npm run bench -- turn`: the overhead of a turn. It measures the delay of a token, reconnecting to 1,000
// events, and CPU time per token and per round, on Node and in workerd. It compares them with the same stream
// read directly and passed through, in one run.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../scripts/build.ts";
import { RunningServer, removeFolders, token } from "../sandbox/running-server.ts";
import { cpuNs, median } from "./cpu-time.ts";
import { ask, type Stage, startStage } from "./model-stage.ts";
import { inWorkerd, onNode, passThrough, type Setup, type Subject } from "./model-subjects.ts";
import { delaysOf, quantile } from "./turn-delay.ts";
import { measureCatchingUp } from "./turn-reconnect.ts";

const tokens = 100;
const delayRuns = 10;
const cpuStreams = 24;
const cpuRuns = 3;
const rounds = 10;
const historyBytes = 200_000;

export async function run(): Promise<void> {
  await build(["node", "worker", "sandbox"]);
  const stage = await startStage();
  const folder = await mkdtemp(join(tmpdir(), "handrail-bench-"));
  const server = await RunningServer.start();
  const models = ["t1", `t${tokens}`, "r1", `r${1 + rounds}`];
  const setup: Setup = { stage, models, peers: [passThrough] };
  const real: Setup = { ...setup, sandbox: { url: server.url, token: token }, peers: [] };
  try {
    const runtimes = [
      ["node", (given: Setup) => onNode(given, folder)],
      ["workerd", inWorkerd],
    ] as const;
    for (const [runtime, start] of runtimes) {
      console.log(runtime);
      await during(await start(setup), async (subjects) => {
        await measureDelay(stage, subjects);
        await measureCpu(subjects);
      });
      await during(await start(real), ([edge]) => measureCatchingUp(edge, server));
    }
  } finally {
    await server.stop();
    await stage.close();
    await removeFolders();
    await rm(folder, { recursive: true, force: true });
  }
}

async function during(subjects: Subject[], measure: (subjects: Subject[]) => Promise<void>): Promise<void> {
  try {
    await measure(subjects);
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

/**
 * Reads one stream at a time, as one phone does. The subjects alternate, so that all run under the same load.
 */
async function measureDelay(stage: Stage, subjects: readonly Subject[]): Promise<void> {
  const direct = {
    name: "directly",
    request: (model: string) => ({
      url: `${stage.url}/v1/chat/completions`,
      init: { method: "POST", body: JSON.stringify({ model }) },
    }),
  };
  const measured = [direct, ...subjects].map((subject) => ({ subject, delays: [] as number[] }));
  for (let n = 0; n <= delayRuns; n += 1) {
    for (const { subject, delays } of measured) {
      const { url, init } = subject.request(`t${tokens}`);
      const taken = await delaysOf(stage, url, init);
      if (n > 0) delays.push(...taken);
    }
  }
  const bare = measured[0]?.delays ?? [];
  console.log(`  delay of a token, of ${delayRuns * tokens}, 100 a second: median / p99, and what it adds`);
  for (const { subject, delays } of measured) {
    const [half, most] = [quantile(delays, 0.5), quantile(delays, 0.99)];
    const added = [half - quantile(bare, 0.5), most - quantile(bare, 0.99)].map(ms).join(" / ");
    console.log(`    ${subject.name.padEnd(24)} ${ms(half)} / ${ms(most)}   + ${added}`);
  }
}

async function measureCpu(subjects: readonly Subject[]): Promise<void> {
  const [edge, pass] = subjects;
  if (!edge || !pass) throw new Error("the edge and its peer have to run");
  const history = longHistory();
  const works = {
    pass: () => batch(pass, "t1"),
    passTokens: () => batch(pass, `t${tokens}`),
    turn: () => batch(edge, "t1"),
    turnTokens: () => batch(edge, `t${tokens}`),
    one: () => batch(edge, "r1"),
    many: () => batch(edge, `r${1 + rounds}`),
    oneLong: () => batch(edge, "r1", history),
    manyLong: () => batch(edge, `r${1 + rounds}`, history),
  };
  const taken = Object.fromEntries(Object.keys(works).map((name) => [name, [] as number[]]));
  for (let n = 0; n <= cpuRuns; n += 1) {
    for (const [name, work] of Object.entries(works)) {
      const cost = await work();
      if (n > 0) taken[name]?.push(cost);
    }
  }
  const cost = (name: keyof typeof works) => median(taken[name] ?? []);
  const ofToken = (cost("turnTokens") - cost("turn")) / (tokens - 1);
  const passed = (cost("passTokens") - cost("pass")) / (tokens - 1);
  const times = (ns: number, base: number) => `${us(ns)} (${(ns / base).toFixed(2)}×)`;
  console.log(`  CPU, ${cpuStreams} turns at once, median of ${cpuRuns}; × of the same passed through`);
  console.log(`    a token                  ${times(ofToken, passed)}; passed through ${us(passed)}`);
  console.log(`    a turn of one word       ${times(cost("turn"), cost("pass"))}`);
  const round = (cost("many") - cost("one")) / rounds;
  const longRound = (cost("manyLong") - cost("oneLong")) / rounds;
  console.log(`    a round of one call      ${times(round, cost("pass"))}`);
  console.log(
    `    the same, ${historyBytes / 1000} KB history ${times(longRound, cost("pass"))}; its turn of one round ${us(cost("oneLong"))}`,
  );
}

/** Nanoseconds of CPU per turn, from a batch of simultaneous turns. */
async function batch(subject: Subject, model: string, history?: unknown[]): Promise<number> {
  const before = cpuNs(subject.pid);
  await Promise.all(
    Array.from({ length: cpuStreams }, () => {
      const { url, init } = subject.request(model, history);
      return ask(url, init, (text) => text.includes("turn.done") || text.includes("[DONE]"));
    }),
  );
  return (cpuNs(subject.pid) - before) / cpuStreams;
}

/** A conversation as the phone posts it. */
function longHistory(): unknown[] {
  const said = "a line of what was said before, ".repeat(30);
  return Array.from({ length: Math.ceil(historyBytes / said.length) }, (_, n) => ({
    id: `m${n}`,
    content: `${n} ${said}`,
    createdAt: 1,
    mode: "normal",
    ...(n % 2 === 0 ? { role: "user" } : { role: "assistant", finish: "stop" }),
  }));
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function us(ns: number): string {
  return `${(ns / 1000).toFixed(1)} µs`;
}
