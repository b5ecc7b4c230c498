// `npm run bench -- guests`: many sessions in containers on this machine at the same time. It measures the
// time until each is ready, its CPU time and memory, and how much a neighbour that forks, allocates, writes,
// sends and computes slows the others down. It needs root and docker.io.
import { existsSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { Engine, Guest } from "../../functions/engines/engine.ts";
import { canRunDocker } from "../harness/docker.ts";
import { DockerGuests } from "../harness/docker-guests.ts";

const count = Number(process.env.HANDRAIL_BENCH_GUESTS ?? 50);
/** With more at the same time, guests are not ready any sooner on two cores. */
const atOnce = 4;
/** Like a small test run: starts node, reads and writes. */
const work =
  "for i in 1 2 3; do node -e 'for (let n = 0; n < 2e7; n += 1);'; seq 5000 > out.txt; sort -R out.txt | tail -1; done";
const noise: Readonly<Record<string, string>> = {
  forks: "for i in $(seq 400); do sleep 20 & done; wait",
  memory: "node -e 'const all = []; for (;;) all.push(Buffer.alloc(5e7, 1))'",
  disk: "for i in $(seq 20); do dd if=/dev/zero of=big bs=1M count=100 2>/dev/null; sync; done",
  network: `node -e '${[
    'const net = require("net"), piece = Buffer.alloc(65536);',
    'net.createServer((socket) => socket.resume()).listen(0, "127.0.0.1", function () {',
    "  const pump = (socket) => { while (socket.write(piece)); };",
    '  for (let n = 0; n < 8; n += 1) { const socket = net.connect(this.address().port, "127.0.0.1"); socket.on("drain", () => pump(socket)); pump(socket); }',
    "});",
    "setTimeout(() => process.exit(), 20_000);",
  ].join(" ")}'`,
  processor: "for i in 1 2 3 4; do timeout 20 sh -c 'while :; do :; done' & done; wait",
};

export async function run(): Promise<void> {
  if (!canRunDocker) return console.log("Docker cannot be run here.");
  const guests = await DockerGuests.start();
  try {
    const engine = await guests.engine({
      ...{ HANDRAIL_GUEST_CPUS: "0.5", HANDRAIL_GUEST_MEMORY: "512", HANDRAIL_GUEST_IDLE_MINUTES: "600" },
    });
    console.log(
      `load before: ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")}`,
    );
    const made = await many(engine);
    spread("processor seconds each, until its session was made", processorSeconds(guests), 2);
    memory(guests);
    await neighbours(guests, made);
    console.log(
      `load after: ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")}`,
    );
  } finally {
    await guests.close();
  }
}

async function many(engine: Engine): Promise<Guest[]> {
  const made: Guest[] = [];
  const times: number[] = [];
  const began = performance.now();
  for (let first = 0; first < count; first += atOnce) {
    const names = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => `g${first + index}`);
    await Promise.all(
      names.map(async (name) => {
        const at = performance.now();
        const guest = await engine.create({ name, network: "none", workspace: "sample project" });
        times.push(performance.now() - at);
        await post(guest, "", { id: "s", source: { sample: true } });
        made.push(guest);
      }),
    );
  }
  console.log(`${count} guests, ${atOnce} at once: all ready after ${seconds(performance.now() - began)}`);
  spread("ready after ms", times, 0);
  return made;
}

function spread(what: string, numbers: readonly number[], digits: number): void {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(digits);
  console.log(`${what}: median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`);
}

/**
 * The CPU seconds that each container has used until now, by its control group. Other work on the machine
 * changes them little.
 */
function processorSeconds({ docker }: DockerGuests): number[] {
  return docker.docker("ps", "-q", "--no-trunc").split("\n").filter(Boolean).map(secondsOf);
}

/**
 * Version 1 of control groups counts nanoseconds. Version 2 counts microseconds, in a folder that depends on
 * Docker's driver.
 */
function secondsOf(container: string): number {
  const groups = "/sys/fs/cgroup";
  const old = `${groups}/cpuacct/docker/${container}/cpuacct.usage`;
  if (existsSync(old)) return Number(readFileSync(old, "utf8")) / 1e9;
  const places = [`${groups}/docker/${container}`, `${groups}/system.slice/docker-${container}.scope`];
  const place = places.find((path) => existsSync(path)) ?? "";
  return Number(/usage_usec (\d+)/.exec(readFileSync(`${place}/cpu.stat`, "utf8"))?.[1]) / 1e6;
}

function memory({ docker }: DockerGuests): void {
  const said = docker.docker("stats", "--no-stream", "--format", "{{.MemUsage}}").split("\n");
  spread("memory MiB each", said.map(Number.parseFloat), 0);
}

/**
 * Each loud run has a quiet run right before or after it, since other work on the machine changes from minute
 * to minute.
 */
async function neighbours(guests: DockerGuests, made: readonly Guest[]): Promise<void> {
  const [noisy, ...others] = made;
  if (!noisy) return;
  const workers = others.slice(0, 2);
  for (const [kind, command] of Object.entries(noise)) {
    const quiet = await worked(guests, workers, `quiet-${kind}`);
    const loud = exec(noisy, `noise-${kind}`, command);
    const took = await worked(guests, workers, kind);
    await loud;
    const times = (took.wall / quiet.wall).toFixed(2);
    const cpu = `${(took.processor / quiet.processor).toFixed(2)} times the processor time`;
    console.log(
      `two guests work, beside ${kind}: ${seconds(took.wall)} for ${seconds(quiet.wall)}, ${times} times; ${cpu}`,
    );
  }
}

async function worked(guests: DockerGuests, some: readonly Guest[], key: string) {
  const processor = () => {
    const ids = some.map(({ guest }) =>
      guests.docker.docker("ps", "-q", "--no-trunc", "-f", `name=-${guest}$`),
    );
    return ids.map(secondsOf).reduce((sum, one) => sum + one, 0);
  };
  const [at, before] = [performance.now(), processor()];
  await Promise.all(some.map((guest) => exec(guest, `work-${key}`, work)));
  return { wall: performance.now() - at, processor: processor() - before };
}

function exec(guest: Guest, key: string, command: string): Promise<string> {
  const calls = [{ key, op: "exec", args: { command, timeoutMs: 30_000 } }];
  return post(guest, "/s/calls", { access: "write", calls });
}

async function post({ endpoint }: Guest, path: string, body: object): Promise<string> {
  const { url, headers } = endpoint;
  const answer = await fetch(`${url}/v1/sandboxes${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return answer.text();
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
