// `npm run bench -- model`: the edge's CPU time from the provider's bytes to our events, compared with its
// peers, in workerd and on Node; and the tokens of the two protocols.
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../scripts/build.ts";
import { cpuNs, median } from "./cpu-time.ts";
import { ask, startStage } from "./model-stage.ts";
import { inWorkerd, onNode, type Subject } from "./model-subjects.ts";
import { printProtocolTokens } from "./model-tokens.ts";

const streams = 24;
const tokens = 300;
const repetitions = 5;
const historyBytes = 200_000;
/** The rounds after the first one, each of which reads a file, in the turn that measures a round's cost. */
const furtherRounds = 10;

export async function run(): Promise<void> {
  await build(["node", "worker"]);
  const stage = await startStage();
  const folder = await mkdtemp(join(tmpdir(), "handrail-bench-"));
  const setup = { stage, models: ["t1", `t${tokens}`, `r${furtherRounds}`] };
  try {
    await measure("workerd", await inWorkerd(setup));
    await measure("node", await onNode(setup, folder));
  } finally {
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  }
  await printProtocolTokens();
}

async function measure(runtime: string, subjects: readonly Subject[]): Promise<void> {
  try {
    // The warm-up compiles the code, so that only compiled code is measured.
    for (const subject of subjects) await batch(subject, tokens);
    const measured = subjects.map((subject) => ({
      subject,
      streams: [] as number[],
      rounds: [] as number[],
    }));
    for (let n = 0; n < repetitions; n += 1) {
      for (const { subject, streams: long, rounds } of measured) {
        long.push(await batch(subject, tokens));
        rounds.push(await batch(subject, 1));
      }
    }
    console.log(
      `${runtime}: CPU of ${streams} streams at once, ${tokens} tokens each, 100 a second; medians of ${repetitions}, load ${loadavg()[0]?.toFixed(1)}`,
    );
    const results = measured.map(({ subject, streams: long, rounds }) => {
      const round = median(rounds);
      return { name: subject.name, long, round, perToken: long.map((ns) => (ns - round) / (tokens - 1)) };
    });
    const pass = results.find(({ name }) => name === "pass-through");
    for (const { name, long, round, perToken } of results) {
      console.log(
        `  ${name.padEnd(32)} token ${micro(median(perToken))} ${ratio(perToken, pass?.perToken)}, round ${micro(round)}, stream ${micro(median(long))} ${ratio(long, pass?.long)}`,
      );
    }
    await measureLongHistory(subjects);
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

/**
 * A turn of one round includes the request, the claim and the opening, so later rounds show the cost of a
 * round alone.
 */
async function measureLongHistory(subjects: readonly Subject[]): Promise<void> {
  const edge = subjects.find(({ name }) => name === "Handrail");
  if (!edge) return;
  const history = longHistory();
  const turns: number[] = [];
  const further: number[] = [];
  for (let n = 0; n <= repetitions; n += 1) {
    const turn = await batch(edge, 1, history);
    const long = await cpuOf(edge, () => {
      const { url, init } = edge.request(`r${furtherRounds}`, history);
      return ask(url, init, (text) => text.includes("event: turn.done"));
    });
    turns.push(turn);
    further.push((long - turn) / furtherRounds);
  }
  console.log(
    `  ${`Handrail, ${historyBytes / 1000} KB of history`.padEnd(32)} round behind the first ${spread(further)}, turn of one round ${spread(turns)}`,
  );
}

/** The median and the best value. The first one is left out, because it is the warm-up. */
function spread([, ...values]: readonly number[]): string {
  return `${micro(median(values))} (at best ${micro(Math.min(...values))})`;
}

/** Nanoseconds of CPU per stream, from a batch of simultaneous streams. */
function batch(subject: Subject, count: number, history?: unknown[]): Promise<number> {
  return cpuOf(subject, () => subject.run(count, history));
}

/** Nanoseconds of CPU that one `run` costs the subject, from `streams` simultaneous runs. */
async function cpuOf({ pid }: Subject, run: () => Promise<void>): Promise<number> {
  const before = cpuNs(pid);
  await Promise.all(Array.from({ length: streams }, run));
  return (cpuNs(pid) - before) / streams;
}

function micro(ns: number): string {
  return `${(ns / 1000).toFixed(1)} µs`;
}

/**
 * The median of the ratios of all repetitions. Other load on the machine slows both sides at the same time,
 * so it cancels out.
 */
function ratio(values: readonly number[], bases: readonly number[] | undefined): string {
  const ratios = values.map((value, n) => value / (bases?.[n] ?? value));
  return `(${median(ratios).toFixed(2)}×, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}

/** A conversation of about 200 KB, as the phone posts it. */
function longHistory(): unknown[] {
  const messages: unknown[] = [];
  for (let n = 0, size = 0; size < historyBytes; n += 1) {
    const content = `${n} ${"a line of what was said before, ".repeat(30)}`;
    const common = { id: `m${n}`, content, createdAt: 1, mode: "normal" };
    const said = { ...common, role: "assistant", finish: "stop" };
    messages.push(n % 2 === 0 ? { ...common, role: "user" } : said);
    size += content.length;
  }
  return messages;
}
