// `npm run bench -- scale`: simulates a day of a million sessions, 1 % of them awake on average, within each
// engine's published limits. It first measures a guest's memory on this machine; docs/scale.md draws the
// conclusions.
import { readFile } from "node:fs/promises";
import { diskBytesOf } from "../../sandbox/workspace/disk-use.ts";
import { canRunDocker } from "../harness/docker.ts";
import { DockerGuests } from "../harness/docker-guests.ts";
import { clientOf, newSpec } from "../harness/engine-stage.ts";
import { freshFolder, RunningServer, removeFolders } from "../sandbox/running-server.ts";
import type { SandboxClient } from "../sandbox/sandbox-client.ts";
import { numbersFrom } from "./scale-random.ts";

const sessions = 1_000_000;
const meanAwake = sessions / 100;
const daySeconds = 86_400;
/** The length of one visit, and the default time that its guest stays awake after it. */
const workSeconds = 6 * 60;
const usualIdleSeconds = 15 * 60;
/** The highest deviation of the rate of visits from its average, in the evening and at night. */
const swing = 0.8;
/** The share of the awake time in which commands run. */
const busy = 0.1;

interface Plan {
  name: string;
  /**
   * The maximum number of guests awake at the same time; `startsASecond`: the maximum number of starts a
   * second.
   */
  most: number;
  startsASecond: number;
  startSeconds: number;
  /** The value of HANDRAIL_GUEST_IDLE_MINUTES in seconds. */
  idleSeconds: number;
  /** US dollars per hour awake; 0 = the price is not known here. */
  perHour: number;
}

/** Limits and prices were read in November 2026; docs/scale.md has the sources. */
const plans: readonly Plan[] = [
  plan("E2B, Hobby", 20, 1, 1, 2 * 0.0504 + 0.0162),
  plan("E2B, Pro", 100, 5, 1, 2 * 0.0504 + 0.0162),
  plan("E2B, Pro with all add-ons", 1_100, 5, 1, 2 * 0.0504 + 0.0162),
  plan("Cloudflare, standard-2", cloudflareMost(1, 6, 12), 100, 3, cloudflareHour(1, 6, 12)),
  plan("Cloudflare, standard-1", cloudflareMost(0.5, 4, 8), 100, 3, cloudflareHour(0.5, 4, 8)),
  plan("Cloudflare, basic", cloudflareMost(0.25, 1, 4), 100, 3, cloudflareHour(0.25, 1, 4)),
  plan("Daytona, 600 creations a minute", Number.POSITIVE_INFINITY, 10, 1, 0),
  plan("Cloudflare, lite", cloudflareMost(1 / 16, 0.25, 2), 100, 3, cloudflareHour(1 / 16, 0.25, 2)),
  {
    ...plan("Cloudflare, basic", cloudflareMost(0.25, 1, 4), 100, 3, cloudflareHour(0.25, 1, 4)),
    name: "Cloudflare, basic, idle for 2 minutes",
    idleSeconds: 120,
  },
  plan("no limits", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1, 0),
];

function plan(
  name: string,
  most: number,
  startsASecond: number,
  startSeconds: number,
  perHour: number,
): Plan {
  return { name, most, startsASecond, startSeconds, perHour, idleSeconds: usualIdleSeconds };
}

/** An account may use 1,500 vCPU, 6 TiB and 30 TB at the same time. */
function cloudflareMost(vcpu: number, gib: number, gb: number): number {
  return Math.floor(Math.min(1_500 / vcpu, (6 * 1_024) / gib, 30_000 / gb));
}

/** The price counts memory and disk as provisioned, and CPU as used. */
function cloudflareHour(vcpu: number, gib: number, gb: number): number {
  return 3_600 * (vcpu * busy * 0.00002 + gib * 0.0000025 + gb * 0.00000007);
}

interface Day {
  visits: number;
  waits: number[];
  longestQueue: number;
  mostAwake: number;
  awakeHours: number;
  /** Visits that gave up after two minutes in the queue. */
  gaveUp: number;
}

/**
 * Simulates a day. A visit waits until there is room and a start is allowed, and gives up after two minutes.
 */
function simulate({ most, startsASecond, startSeconds, idleSeconds }: Plan): Day {
  const random = numbersFrom(24);
  const visitSeconds = startSeconds + workSeconds + usualIdleSeconds;
  const perSecond = meanAwake / visitSeconds;
  const ends = new Map<number, number>();
  const queue: number[] = [];
  const day: Day = { visits: 0, waits: [], longestQueue: 0, mostAwake: 0, awakeHours: 0, gaveUp: 0 };
  let awake = 0;
  let tokens = 0;
  // The first hours only fill the simulation.
  for (let now = -4 * 3_600; now < daySeconds; now += 1) {
    const counts = now >= 0;
    awake -= ends.get(now) ?? 0;
    ends.delete(now);
    const rate = perSecond * (1 + swing * Math.sin((2 * Math.PI * now) / daySeconds));
    for (let left = random.poisson(rate); left > 0; left -= 1) {
      queue.push(now);
      if (counts) day.visits += 1;
    }
    tokens = Math.min(Math.max(startsASecond, 1), tokens + startsASecond);
    while (queue.length > 0 && now - (queue[0] ?? now) > 120) {
      queue.shift();
      if (counts) day.gaveUp += 1;
    }
    while (queue.length > 0 && awake < most && tokens >= 1) {
      const since = queue.shift() ?? now;
      tokens -= 1;
      awake += 1;
      const end = now + startSeconds + Math.round(random.exponential(workSeconds)) + idleSeconds;
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (counts) day.waits.push(now - since + startSeconds);
    }
    if (!counts) continue;
    day.longestQueue = Math.max(day.longestQueue, queue.length);
    day.mostAwake = Math.max(day.mostAwake, awake);
    day.awakeHours += awake / 3_600;
  }
  return day;
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/**
 * Memory in MiB. `own` cannot be shared. The pages of `files`, above all Node's, exist once for all
 * containers of a machine.
 */
async function memoryOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1_024;
  return { own: of("RssAnon"), files: of("RssFile") };
}

/** A container's memory in MiB by Docker's count. Memory that containers share is counted for one of them. */
async function measureContainer(): Promise<string> {
  if (!canRunDocker) return "unknown, as Docker cannot be run here";
  const guests = await DockerGuests.start();
  const counted = () =>
    guests.docker.docker("stats", "--no-stream", "--format", "{{.MemUsage}}").split(" ")[0];
  try {
    const { endpoint } = await (await guests.engine()).create(newSpec());
    const client = clientOf(endpoint);
    const { id } = await client.create({ source: { sample: true } });
    const before = counted();
    await work(client, id);
    return `${before} new, ${counted()} after 20 commands`;
  } finally {
    await guests.close();
  }
}

async function work(client: SandboxClient, id: string): Promise<void> {
  for (let n = 0; n < 20; n += 1)
    await client.call(id, "exec", { command: `echo ${n} >> log.txt && sha256sum log.txt` });
}

async function measureGuest() {
  const state = await freshFolder("state");
  const began = performance.now();
  const server = await RunningServer.start({ state });
  const startMs = performance.now() - began;
  const { id } = await server.client.create({ source: { sample: true } });
  const idle = await memoryOf(server.pid);
  await work(server.client, id);
  const used = await memoryOf(server.pid);
  const [bytes = 0] = (await diskBytesOf([state])) ?? [];
  await server.stop();
  await removeFolders();
  return { startMs, idle, used, megabytes: bytes / 1e6 };
}

export async function run(): Promise<void> {
  const guest = await measureGuest();
  console.log(
    `a guest here: ready after ${(guest.startMs / 1_000).toFixed(2)} s, ${guest.megabytes.toFixed(1)} MB of state after 20 commands`,
  );
  for (const [when, { own, files }] of [
    ["new", guest.idle],
    ["after 20 commands", guest.used],
  ] as const)
    console.log(
      `memory of its server by itself, ${when}: ${own.toFixed(0)} MiB of its own, ${files.toFixed(0)} MiB of files`,
    );
  console.log(`memory of a container with it: ${await measureContainer()}`);
  console.log(
    "| engine and plan | most at once | awake at the peak | visits that gave up | wait, median / 99 % | longest queue | awake, a day |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (const each of plans) {
    const day = simulate(each);
    const waits = day.waits.sort((a, b) => a - b);
    const dollars = each.perHour ? `$${Math.round(day.awakeHours * each.perHour).toLocaleString("en")}` : "–";
    console.log(
      `| ${each.name} | ${Number.isFinite(each.most) ? each.most.toLocaleString("en") : "–"} | ${day.mostAwake.toLocaleString("en")} | ${((100 * day.gaveUp) / day.visits).toFixed(1)} % of ${day.visits.toLocaleString("en")} | ${share(waits, 0.5)} / ${share(waits, 0.99)} s | ${day.longestQueue.toLocaleString("en")} | ${dollars} |`,
    );
  }
}
