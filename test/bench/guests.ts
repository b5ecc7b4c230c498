// `npm run bench -- guests`: many sessions in containers at once on this machine: time until each is ready, its memory, and
// what a neighbour that forks, allocates, writes, sends and computes costs the others. Needs root and Debian's docker.io.
import type { Engine, Guest } from "../../functions/engines/engine.ts";
import { canRunDocker } from "../harness/docker.ts";
import { DockerGuests } from "../harness/docker-guests.ts";

const count = Number(process.env.HANDRAIL_BENCH_GUESTS ?? 50);
/** More at once are not ready any sooner on two cores. */
const atOnce = 4;
/** A test run in small: starts node, reads and writes. */
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
    const engine = await guests.engine({ HANDRAIL_GUEST_CPUS: "0.5", HANDRAIL_GUEST_MEMORY: "512" });
    const made = await many(engine);
    memory(guests);
    await neighbours(made);
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
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  console.log(`${count} guests, ${atOnce} at once: all ready after ${seconds(performance.now() - began)}`);
  console.log(`ready after ms: median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`);
  return made;
}

function memory({ docker }: DockerGuests): void {
  const said = docker.docker("stats", "--no-stream", "--format", "{{.MemUsage}}").split("\n");
  const each = said.map((line) => Number.parseFloat(line)).sort((a, b) => a - b);
  console.log(`memory MiB each: median ${each[Math.floor(each.length / 2)]}, most ${each.at(-1)}`);
}

async function neighbours(made: readonly Guest[]): Promise<void> {
  const [noisy, ...others] = made;
  if (!noisy) return;
  const quiet = await worked(others.slice(0, 2), "quiet");
  console.log(`work of two guests, all others idle: ${seconds(quiet)}`);
  for (const [kind, command] of Object.entries(noise)) {
    const loud = exec(noisy, `noise-${kind}`, command);
    const took = await worked(others.slice(0, 2), kind);
    await post(noisy, "/s/turns/none/stop", {}).catch(() => undefined);
    console.log(`the same beside ${kind}: ${seconds(took)}, ${(took / quiet).toFixed(2)} times`);
    await loud;
  }
}

async function worked(some: readonly Guest[], key: string): Promise<number> {
  const at = performance.now();
  await Promise.all(some.map((guest) => exec(guest, `work-${key}`, work)));
  return performance.now() - at;
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
