// Measures the built sandbox server over HTTP: the savings by batching, the cost of journal and jail, the
// load that it handles, and its memory. Ratios compare two measurements of the same run.
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalFile } from "../../sandbox/journal/journal-file.ts";
import type { CallsRequestInput } from "../../shared/sandbox.ts";
import { RunningServer, removeFolders } from "../sandbox/running-server.ts";
import { medians } from "./medians.ts";
import { commits } from "./sandbox-commits.ts";
import { largeWorkspaces } from "./sandbox-large.ts";
import { ownPrograms } from "./sandbox-own-programs.ts";

export async function run(): Promise<void> {
  const server = await RunningServer.start();
  const bare = await RunningServer.start({ env: { HANDRAIL_NO_BWRAP: "1" } });
  try {
    await batches(server);
    await journaling(server);
    await jail(server, bare);
    await largeWorkspaces();
    await commits();
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
