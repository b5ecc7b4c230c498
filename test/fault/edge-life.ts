// One life of the edge: the real app, with a fault point at every request to the model and the sandbox.

import { createApp } from "../../functions/app.ts";
import type { Deps } from "../../functions/deps.ts";
import type { EdgeHost } from "../../functions/host.ts";
import { createLiveTurns } from "../../functions/live/live-turns.ts";
import { createMetrics } from "../../functions/metrics.ts";
import { createToolSupport } from "../../functions/model/tool-support.ts";
import { createSandboxClient } from "../../functions/sandbox/client.ts";
import { type Faults, firstOf, Life, Lost } from "./faults.ts";
import { withPassage } from "./guarded-body.ts";
import type { LeapingClock } from "./leaping-clock.ts";
import type { ScriptedMind } from "./mind.ts";

export const suiteToken = "a-token-for-tests-of-at-least-32-characters";

export const nodeHost: EdgeHost = {
  runtime: "node",
  continuesUnattended: true,
  sharesTurns: true,
};
export const workerHost: EdgeHost = {
  runtime: "workerd",
  continuesUnattended: false,
  sharesTurns: false,
};

export interface Sandbox {
  /** The server's current origin. */
  url(): string;
  id: string;
  /** Resolves when the server accepts requests. */
  up(): Promise<void>;
  restart(): void;
}

export interface Surroundings {
  faults: Faults;
  clock: LeapingClock;
  host: EdgeHost;
  mind: ScriptedMind;
  newId(): string;
  sandbox: Pick<Sandbox, "url" | "up">;
  /** Takes work that continues after its sender has died. */
  stray(work: Promise<unknown>): void;
}

export interface EdgeLife {
  life: Life;
  app: ReturnType<typeof createApp>;
  /** The number of requests to the model and to the sandbox until now. */
  subrequests(): number;
}

/**
 * The sandbox pings every 8 s. A case cannot wait for that, and commands take only a fraction of a second
 * here.
 */
const silenceMs = 2_500;
/** Each long poll of a journal takes this long instead of 20 s, since no other edge adds to the journal. */
const pollMs = "60";
const leapPerPollMs = 30_000;

export function startEdge(around: Surroundings): EdgeLife {
  const { faults, clock, newId } = around;
  const life = new Life("edge", faults);
  // Retries of an earlier life do not count.
  around.mind.heardOut();
  let subrequests = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    subrequests += 1;
    const request = new Request(input, init);
    // The caller's own signal is used, because a request's copy of it stops working once the request is
    // garbage-collected.
    const broken = firstOf([life.signal, ...(init?.signal ? [init.signal] : [])]);
    return new URL(request.url).host === "sandbox.test"
      ? askSandbox(around, life, { request, broken })
      : askModel(around, life, { request, broken });
  };
  const deps: Deps & { sleep: LeapingClock["sleep"] } = {
    fetch,
    now: clock.now,
    // Leaps do not count, because on a busy machine many of them would use up a turn's time.
    elapsed: () => performance.now(),
    newId,
    // Long sleeps never end: a silent model would end its turn with an explanation, which other tests cover.
    sleep: (ms, signal) => (ms < 5_000 ? clock.sleep(Math.min(ms, 1_000), signal) : untilAborted(signal)),
    token: suiteToken,
    origins: [],
    providers: [around.mind.provider],
    sandbox: createSandboxClient({ fetch, baseUrl: "http://sandbox.test", token: suiteToken, silenceMs }),
    memory: {
      liveTurns: createLiveTurns(),
      toolSupport: createToolSupport(),
      keyChecks: new Map(),
      metrics: createMetrics(clock.now),
    },
    host: around.host,
    version: "fault",
    workspace: { kind: "folder", name: "case" },
    forges: {},
    notify: {},
    logsRequests: false,
    secrets: [],
    log: (entry) => void faults.trace.push(`the edge logs ${JSON.stringify(entry)}`),
  };
  return {
    life,
    app: createApp(
      deps,
      async () => undefined,
      () => "phone",
    ),
    subrequests: () => subrequests,
  };
}

/** A request of the edge, and the signal that aborts it. */
interface Asking {
  request: Request;
  broken: AbortSignal;
}

async function askModel(
  { mind, clock }: Surroundings,
  life: Life,
  { request, broken }: Asking,
): Promise<Response> {
  const ended = clock.works(broken);
  const point = async (label: string) => {
    try {
      if ((await life.point(label)) === "stall") throw new Lost(`silence for good at ${label}`);
    } catch (error) {
      ended();
      if (!life.dead) mind.tryLost();
      throw error;
    }
  };
  await point("edge>model send");
  const response = mind.answer(JSON.parse(await request.text()));
  await point("edge>model answered");
  return withPassage(response, {
    end: "\n\n",
    broken,
    onEnd: ended,
    async pass(part) {
      await point("edge>model part");
      if (part.includes("[DONE]")) mind.heardOut();
    },
  });
}

async function askSandbox(around: Surroundings, life: Life, { request, broken }: Asking): Promise<Response> {
  const { clock, sandbox, stray } = around;
  const url = new URL(request.url);
  const name = `edge>sandbox ${request.method} ${url.pathname.split("/").slice(4).join("/")}`;
  const polls = url.searchParams.get("waitMs") !== null && url.searchParams.get("waitMs") !== "0";
  if (polls) url.searchParams.set("waitMs", pollMs);
  // The clock leaps when long polls wait, and a runner's own streams last as long as its turn. So neither of
  // them counts as work.
  const ended = polls || /\/(?:claim|attend)$/.test(url.pathname) ? () => undefined : clock.works(broken);
  const { method, headers } = request;
  const text = method === "GET" ? undefined : await request.text();
  const send = async (signal?: AbortSignal) => {
    await sandbox.up();
    return fetch(new URL(url.pathname + url.search, sandbox.url()), {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
      ...(signal ? { signal } : {}),
    });
  };
  const ask = async () => {
    const how = await life.point(`${name} send`);
    if (how === "twice") stray(send().then((answer) => answer.text()));
    if (how === "late") {
      stray(later().then(() => send()));
      throw new Lost(`${name} is late`);
    }
    const answered = await life.guard(send(broken));
    await life.point(`${name} answered`);
    return answered;
  };
  const response = await ask().catch((error: unknown) => {
    ended();
    throw error;
  });
  return withPassage(response, {
    end: "\n",
    broken,
    onEnd: ended,
    waits: (reading) => around.faults.wait(reading, `lines of ${name}`),
    pass: async (line) => {
      if (line.includes('"type":"ping"')) {
        if (polls) clock.pass(leapPerPollMs);
        return;
      }
      const how = await life.point(`${name} line`);
      if (how === "stall") ended();
      await unlessStalled(how, clock);
    },
  });
}

/** For a stalled stream, it reports silence to the clock and never settles, so neither side gets an error. */
export function unlessStalled(how: string | undefined, clock: LeapingClock): Promise<void> {
  if (how !== "stall") return Promise.resolve();
  clock.silence();
  return new Promise(() => undefined);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Waits long enough that the sender of the lost request has retried. */
export function later(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}
