// Measures the server's own git and ripgrep on 20,000 files: in the jail, outside of it, and in another build
// of the server if HANDRAIL_BENCH_OTHER names its sandbox.mjs. All of them alternate in one run.
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { OpName } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "../sandbox/running-server.ts";
import { medians } from "./medians.ts";

const ops = { snapshot: {}, search: { pattern: "no such line" }, git: { verb: "status", paths: ["d1"] } };
const rounds = 10;
let keys = 0;

interface Subject {
  name: string;
  server: RunningServer;
  id: string;
  /** The duration of the first snapshot; `bytes`: its size on disk. */
  baseMs: number;
  bytes: number;
}

export async function ownPrograms(): Promise<void> {
  const workspace = await twentyThousand();
  const other = process.env.HANDRAIL_BENCH_OTHER;
  const subjects = [
    await subject("jailed", workspace, {}),
    await subject("not jailed", workspace, { env: { HANDRAIL_NO_BWRAP: "1" } }),
    ...(other === undefined ? [] : [await subject("other build, jailed", workspace, { file: other })]),
  ];
  const told = (values: readonly number[], unit: string) =>
    subjects
      .map(({ name }, at) => `${name} ${values[at]?.toFixed(0)} ${unit}${ratio(values, at)}`)
      .join(", ");
  const each = (of: (subject: Subject) => number) => subjects.map(of);
  console.log(
    `first snapshot of 20,000 files: ${told(
      each(({ baseMs }) => baseMs),
      "ms",
    )}`,
  );
  console.log(
    `its size on the disk: ${told(
      each(({ bytes }) => bytes / 1024),
      "KiB",
    )}`,
  );
  for (const [op, args] of Object.entries(ops)) {
    const works = subjects.map(({ server, id }) => async () => {
      await writeFile(join(workspace, "d7", "f7.txt"), `${++keys}`);
      const call = { key: `own-${++keys}`, op: z.parse(OpName, op), args };
      await server.client.results(id, { access: "write", calls: [call] });
    });
    console.log(`${op}, one of 20,000 files changed: ${told(await medians(rounds, works), "ms")}`);
  }
  for (const { server } of subjects) await server.stop();
}

/** The value at `at` as a multiple of the first one. */
function ratio(values: readonly number[], at: number): string {
  return at === 0 ? "" : ` (${((values[at] ?? 0) / (values[0] ?? 1)).toFixed(1)} times)`;
}

async function twentyThousand(): Promise<string> {
  const workspace = await freshFolder("workspace");
  for (let folder = 0; folder < 200; folder++) {
    await mkdir(join(workspace, `d${folder}`));
    const files = Array.from({ length: 100 }, (_, index) => join(workspace, `d${folder}`, `f${index}.txt`));
    await Promise.all(files.map((file) => writeFile(file, `${file}\n`.repeat(10))));
  }
  execFileSync("git", ["init", "-q", workspace]);
  return workspace;
}

async function subject(
  name: string,
  workspace: string,
  settings: Parameters<typeof RunningServer.start>[0],
): Promise<Subject> {
  const server = await RunningServer.start({ ...settings, workspace });
  const begun = performance.now();
  const { id } = await server.client.create();
  // The first difference waits for the first snapshot. The next line measures a second difference.
  await server.client.call(id, "git", { verb: "diff", since: "start", stat: true });
  const all = performance.now() - begun;
  const again = performance.now();
  await server.client.call(id, "git", { verb: "diff", since: "start", stat: true });
  const baseMs = all - (performance.now() - again);
  const bytes = Number(
    execFileSync("du", ["-sk", join(server.state, "folders")], { encoding: "utf8" }).split("\t")[0],
  );
  return { name, server, id, baseMs, bytes: bytes * 1024 };
}

/** Run it alone: `npm run bench -- sandbox-own-programs`. */
export async function run(): Promise<void> {
  await ownPrograms();
  await removeFolders();
}
