// Measures how long workerd takes to load the worker script and answer its first request, compared with an
// empty worker.
import { build, dist } from "../../scripts/build.ts";
import { workerModules } from "../../scripts/launch/worker-modules.ts";
import { cpuNs, median } from "./cpu-time.ts";
import { say, sayMedian } from "./figures.ts";
import { startWorkerd } from "./workerd.ts";

/**
 * The time beyond an empty worker. Cloudflare allows a script 1,000 ms:
 * https://developers.cloudflare.com/workers/platform/limits/#worker-startup-time
 */
const budgetMs = 100;
const pairs = 9;

const empty = 'export default { fetch: () => new Response("ok") };';
const settings = {
  HANDRAIL_TOKEN: "bench-token-of-at-least-32-characters",
  SANDBOX_URL: "http://127.0.0.1:9",
  SANDBOX_TOKEN: "bench-token-of-at-least-32-characters",
  OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
  HANDRAIL_MODEL: "unused",
};

export async function run(): Promise<void> {
  await build(["worker"]);
  const script = workerModules(dist);
  const [ours, theirs]: [number[], number[]] = [[], []];
  // The two alternate in one run, so that a busy machine slows both.
  for (let index = 0; index < pairs; index += 1) {
    ours.push(await startMs(script, "/api/health"));
    theirs.push(await startMs(empty, "/"));
  }
  sayMedian({ what: "workerd, empty worker, first answer (CPU)", unit: "ms" }, theirs);
  sayMedian({ what: "workerd, our worker, first answer (CPU)", unit: "ms" }, ours);
  const beyond = median(ours) - median(theirs);
  say({
    what: "  ratio to the empty worker",
    value: median(ours) / median(theirs),
    unit: "times",
    digits: 2,
  });
  say({ what: "  beyond the empty worker", value: beyond, unit: "ms", budget: budgetMs });
}

/** CPU time of a new workerd from its start to its first answer, in milliseconds. */
async function startMs(script: Parameters<typeof startWorkerd>[0], path: string): Promise<number> {
  const served = await startWorkerd(script, settings);
  try {
    const answer = await fetch(served.url + path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    await answer.arrayBuffer();
    return cpuNs(served.pid) / 1e6;
  } finally {
    await served.close();
  }
}
