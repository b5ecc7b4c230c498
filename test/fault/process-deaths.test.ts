// Real deaths: `kill -9` ends the edge's and the sandbox server's process, also while a command runs, and the
// connections between phone, edge, sandbox and model break at any of their bytes. HANDRAIL_FAULT_DEATHS=N
// asks for N deaths.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { random } from "../fakes/model-stream.ts";
import { runs } from "../harness/runs.ts";
import { historyProblems } from "./case.ts";
import { suiteToken } from "./edge-life.ts";
import { Faults, type Life } from "./faults.ts";
import { SandboxHouse } from "./lanes.ts";
import { Person, type Surrounding } from "./person.ts";
import type { Problem } from "./problem.ts";
import { RealEdge } from "./real-edge.ts";
import { commands } from "./scenarios.ts";
import { SeenEvents, turnOf } from "./seen-events.ts";
import { startWire, type Weather, type Wire } from "./wire.ts";
import { historyProblem } from "./wire-history.ts";
import { readBody } from "./world.ts";

const wanted = Number(process.env.HANDRAIL_FAULT_DEATHS ?? runs(8, 2));
/**
 * A case takes seconds. A case that has not ended after this time hangs, and the test reports its open waits.
 */
const patienceMs = 120_000;
/** Unit tests cover half a minute of silence and back-offs of seconds. Here the phone's time runs faster. */
const hurry = 20;
/**
 * The byte positions at which connections are cut: in the headers, the first events, the middle of a round.
 */
const regions = [1, 40, 200, 600, 1_500, 4_000, 9_000];

let house: SandboxHouse;
let model: ModelServer;
let edge: RealEdge;
let wires: { phone: Wire; sandbox: Wire; model: Wire };
let weather: (wire: keyof typeof wires) => Weather = () => ({});

beforeAll(async () => {
  if (wanted === 0) return;
  await build(["node", "sandbox"]);
  house = await SandboxHouse.open();
  model = await startModelServer([{ text: "nothing scripted" }]);
  const toSandbox = await startWire(
    () => house.url,
    () => weather("sandbox"),
  );
  const toModel = await startWire(
    () => model.url,
    () => weather("model"),
  );
  edge = await RealEdge.open(toSandbox.url, `${toModel.url}/v1`);
  const toEdge = await startWire(
    () => edge.url,
    () => weather("phone"),
  );
  wires = { phone: toEdge, sandbox: toSandbox, model: toModel };
});
afterAll(async () => {
  if (wanted === 0) return;
  for (const wire of Object.values(wires)) wire.close();
  await edge.kill();
  await house.close();
  await model.close();
});

test.skipIf(wanted === 0)(
  `${wanted} processes are killed and connections cut: no effect twice, nothing lost`,
  {
    tags: "random",
    timeout: 3 * 60 * 60_000,
  },
  async () => {
    let deaths = 0;
    for (let seed = 1; deaths < wanted; seed += 1) deaths += await oneCase(seed);
    console.info(
      `${deaths} real deaths, ${Object.values(wires).map((wire) => wire.torn())} connections torn`,
    );
  },
);

/** Runs one conversation in which processes die, and returns the number of deaths. */
async function oneCase(seed: number): Promise<number> {
  const next = random(seed * 7919);
  const lane = await house.lane();
  const folder = join(lane.folder, "case");
  await mkdir(folder);
  const script = commands.script("case");
  const problems: Problem[] = [];
  const before = model.requests.length;
  model.play(({ messages }) => {
    const problem = historyProblem(messages);
    if (problem) problems.push({ rule: "the history is invalid", text: problem });
    return script[messages.filter(({ role }) => role === "assistant").length] ?? { text: "Nothing is left." };
  });
  weather = (wire) => {
    const region = regions[Math.floor(next() * regions.length)] ?? 1;
    const dice = next();
    if (dice < 0.35) return { cutAfterBytes: region };
    // The edge waits for 25 s before it gives up a silent sandbox, while the phone's time runs faster here.
    // So only the phone's connection goes silent.
    if (dice < 0.45 && wire === "phone") return { silentAfterBytes: region };
    return dice > 0.9 ? { delayMs: 20 } : {};
  };
  const torn = () => Object.values(wires).reduce((sum, wire) => sum + wire.torn(), 0);
  const tornBefore = torn();
  let kills = 0;
  const deaths = new Set(Array.from({ length: 3 }, () => 1 + Math.floor(next() * 25)));
  let chunks = 0;
  const trace: string[] = [];
  const seen = new SeenEvents();
  const unanswered = new Set<string>();
  const heard = async () => {
    chunks += 1;
    if (!deaths.has(chunks)) return;
    kills += 1;
    const victim = next() < 0.5 ? edge : house;
    trace.push(victim === edge ? "the edge dies" : "the sandbox dies");
    await victim.kill();
    await victim.start();
  };
  const surrounding: Surrounding = {
    faults: new Faults(),
    sandboxId: lane.sandbox.id,
    clock: { now: Date.now, sleep: (ms, signal) => pause(ms / hurry, signal) },
    newId: () => crypto.randomUUID().slice(0, 12),
    phoneFetch: (phone) => phoneFetch(phone, { heard, trace, seen, unanswered }),
  };
  const text = (file: string) => readFile(join(folder, file), "utf8").catch(() => "");
  const person = new Person(surrounding, {
    ...commands.habits,
    async hasRun(toolCallId) {
      const [file, line] = commands.traces[toolCallId] ?? ["", ""];
      return (await text(file)).includes(line);
    },
  });
  const over = new AbortController();
  const hangs = pause(patienceMs, over.signal).then(() => {
    if (!over.signal.aborted) {
      const open = Object.entries(wires).flatMap(([name, wire]) =>
        wire.open().map((line) => `${name}: ${line}`),
      );
      throw new Error([`case ${seed} hangs`, ...open, ...unanswered, "…", ...trace.slice(-30)].join("\n"));
    }
  });
  await Promise.race([person.live(), hangs]).finally(() => over.abort());
  const entries = await person.entries();
  seen.compare(entries);
  problems.push(...seen.problems, ...historyProblems(entries, commands.habits.says));
  expect({ seed, problems, log: await text("log.txt"), note: await text("n.txt") }).toEqual({
    seed,
    problems: [],
    log: "a\nb\nc\nd\n",
    note: "one\ntwo\n",
  });
  expect(model.requests.length - before, `model calls of case ${seed}`).toBeLessThanOrEqual(
    script.length + kills + torn() - tornBefore,
  );
  return kills;
}

interface Listening {
  /** Called for every piece that arrives. */
  heard(): Promise<void>;
  trace: string[];
  seen: SeenEvents;
  unanswered: Set<string>;
}

/** The connection from the phone to the edge. */
function phoneFetch(phone: Life, { heard, trace, seen, unanswered }: Listening): typeof fetch {
  let asked = 0;
  return async (path, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${suiteToken}`);
    const turnId = turnOf(String(path).replace(/\?.*/, ""), (await readBody(String(path), init)).text);
    asked += 1;
    const question = `unanswered: request ${asked}, ${path}`;
    trace.push(`asks ${path}`);
    unanswered.add(question);
    const response = await fetch(new URL(String(path), wires.phone.url), { ...init, headers }).finally(() =>
      unanswered.delete(question),
    );
    trace.push(`${response.status} ${path}`);
    if (!response.body || !response.ok) return response;
    const decoder = new TextDecoder();
    let rest = "";
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        async transform(chunk, controller) {
          const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
          rest = pieces.pop() ?? "";
          // A closed page does not see the data that it still receives.
          if (!phone.dead) for (const piece of pieces) seen.see(turnId, `${piece}\n\n`);
          trace.push(...pieces.map((piece) => piece.slice(0, 300)));
          controller.enqueue(chunk);
          if (!phone.dead) await heard();
        },
      }),
    );
    return new Response(counted, { status: response.status, headers: response.headers });
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
