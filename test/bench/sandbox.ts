// The sandbox server as it ships, over HTTP: what a batch saves, what the journal and the jail cost, how much it
// carries at once and what it holds in memory. Ratios are taken within one run, side by side.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { JournalFile } from "../../sandbox/journal/journal-file.ts";
import { type CallsRequestInput, OpName } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "../sandbox/running-server.ts";
import { largeWorkspaces } from "./sandbox-large.ts";

export async function run(): Promise<void> {
  const server = await RunningServer.start();
  const bare = await RunningServer.start({ env: { HANDRAIL_NO_BWRAP: "1" } });
  try {
    await batches(server);
    await journaling(server);
    await jail(server, bare);
    await largeWorkspaces(medians);
    await ownPrograms();
    await throughput(server);
    await memory();
  } finally {
    await server.stop();
    await bare.stop();
    await removeFolders();
  }
}

let keys = 0;
const newKey = () => `bench-${++keys}`;
const read = () => ({ key: newKey(), op: "read" as const, args: { path: "README.md" } });
const command = () => ({ key: newKey(), op: "exec" as const, args: { command: "true" } });

async function sampleIn({ client }: RunningServer): Promise<string> {
  return (await client.create({ source: { sample: true } })).id;
}

/** Median duration in ms of each of the works, taken in turns so that all meet the same machine. */
async function medians(rounds: number, works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, work] of works.entries()) {
      const begun = performance.now();
      await work();
      if (round >= 2) times[index]?.push(performance.now() - begun);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0);
}

const ms = (value = 0) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const times = (a = 0, b = 1) => `${(a / b).toFixed(1)} times`;

async function batches(server: RunningServer): Promise<void> {
  const id = await sampleIn(server);
  const send = (calls: CallsRequestInput["calls"]) => server.client.results(id, { calls });
  const [batch, single] = await medians(30, [
    () => send(Array.from({ length: 10 }, read)),
    async () => {
      for (let index = 0; index < 10; index++) await send([read()]);
    },
  ]);
  console.log(`10 reads: one batch ${ms(batch)}, ten requests ${ms(single)}: ${times(single, batch)}`);
}

async function journaling(server: RunningServer): Promise<void> {
  const id = await sampleIn(server);
  const dir = await mkdtemp(join(tmpdir(), "handrail-bench-"));
  const file = new JournalFile(join(dir, "calls.ndjson"), { now: () => Date.now() });
  const line = { type: "result", key: "k", ok: true, value: { stdout: "x".repeat(200) } };
  const handle = await open(join(dir, "bare"), "a");
  const [bare, one, ten, plain, call] = await medians(50, [
    async () => {
      await handle.appendFile(`${JSON.stringify(line)}\n`);
      await handle.datasync();
    },
    () => file.append([line], true).written,
    () => Promise.all(Array.from({ length: 10 }, () => file.append([line], true).written)),
    () => server.client.get("/capabilities"),
    () => server.client.results(id, { calls: [read()] }),
  ]);
  await handle.close();
  await rm(dir, { recursive: true });
  console.log(`one durable line: ${ms(one)}, a bare write and fdatasync ${ms(bare)}: ${times(one, bare)}`);
  console.log(`ten durable lines at once: ${ms(ten)}: ${times(ten, one)} one line`);
  console.log(`one recorded read: ${ms(call)}, a request that records nothing ${ms(plain)}`);
}

async function jail(server: RunningServer, bare: RunningServer): Promise<void> {
  const [inside, outside] = [await sampleIn(server), await sampleIn(bare)];
  const body = () => ({ access: "write" as const, calls: [command()] });
  const [jailed, free] = await medians(30, [
    () => server.client.results(inside, body()),
    () => bare.client.results(outside, body()),
  ]);
  console.log(
    `\`true\` as a recorded command: jailed ${ms(jailed)}, not jailed ${ms(free)}: the jail adds ${ms((jailed ?? 0) - (free ?? 0))}`,
  );
}

/** The server's own git and ripgrep on 20,000 files, in the jail and on the machine, side by side. */
async function ownPrograms(): Promise<void> {
  const workspace = await freshFolder("workspace");
  for (let folder = 0; folder < 200; folder++) {
    await mkdir(join(workspace, `d${folder}`));
    const files = Array.from({ length: 100 }, (_, index) => join(workspace, `d${folder}`, `f${index}.txt`));
    await Promise.all(files.map((file) => writeFile(file, `${file}\n`.repeat(10))));
  }
  execFileSync("git", ["init", "-q", workspace]);
  const inside = await RunningServer.start({ workspace });
  const outside = await RunningServer.start({ workspace, env: { HANDRAIL_NO_BWRAP: "1" } });
  const ids = new Map<RunningServer, string>();
  for (const server of [inside, outside]) ids.set(server, (await server.client.create()).id);
  const calls = { snapshot: {}, search: { pattern: "no such line" }, git: { verb: "status", paths: ["d1"] } };
  for (const [op, args] of Object.entries(calls)) {
    const send = async (server: RunningServer) => {
      await writeFile(join(workspace, "d7", "f7.txt"), newKey());
      const call = { key: newKey(), op: z.parse(OpName, op), args };
      await server.client.results(ids.get(server) ?? "", { access: "write", calls: [call] });
    };
    const [jailed, free] = await medians(10, [() => send(inside), () => send(outside)]);
    console.log(
      `${op}, one of 20,000 files changed: jailed ${ms(jailed)}, not ${ms(free)}: ${times(jailed, free)}`,
    );
  }
  await inside.stop();
  await outside.stop();
}

async function throughput(server: RunningServer): Promise<void> {
  const ids = await Promise.all(Array.from({ length: 8 }, () => sampleIn(server)));
  const perSandbox = 40;
  const work = async (id: string) => {
    for (let index = 0; index < perSandbox; index++)
      await server.client.results(id, { access: "write", calls: [read(), read(), command()] });
  };
  const rate = async (of: readonly string[]) => {
    const begun = performance.now();
    await Promise.all(of.map(work));
    return (of.length * perSandbox * 3_000) / (performance.now() - begun);
  };
  await rate(ids.slice(0, 1));
  const [one, eight] = [await rate(ids.slice(0, 1)), await rate(ids)];
  console.log(
    `two reads and a command, again and again: one sandbox ${one.toFixed(0)} calls/s, eight at once ${eight.toFixed(0)}: ${times(eight, one)}`,
  );
}

async function memory(): Promise<void> {
  const server = await RunningServer.start();
  const id = await sampleIn(server);
  const send = async (calls: number) => {
    for (let sent = 0; sent < calls; sent += 100)
      await server.client.results(id, {
        calls: Array.from({ length: 100 }, (_, index) =>
          index % 10 === 0 ? { key: newKey(), op: "exec", args: { command: "cat README.md" } } : read(),
        ),
      });
  };
  await send(1_000);
  const before = await residentMb(server.pid);
  await send(10_000);
  const after = await residentMb(server.pid);
  await server.stop();
  const begun = performance.now();
  const next = await RunningServer.start({ state: server.state });
  await next.client.get(`/sandboxes/${id}`);
  const loaded = performance.now() - begun;
  const fresh = await residentMb(next.pid);
  await next.stop();
  console.log(
    `memory: ${before} MB after 1,000 calls, ${after} MB after 11,000: ${(after / before).toFixed(2)} times`,
  );
  console.log(`the next server reads them in ${ms(loaded)}, its start included, and holds ${fresh} MB`);
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024);
}
