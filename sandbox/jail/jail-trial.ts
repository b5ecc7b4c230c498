// Finds out by running it whether bubblewrap confines a command here. Looking for the program proves nothing.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import { limits } from "../limits.ts";
import { type JailedCommand, jailed } from "./jail.ts";
import { type Gate, limitSetting, limitTo, machineLimit, mayLimitJails } from "./process-limit.ts";
import type { Toolchains } from "./toolchains.ts";

export interface Jail {
  bwrap: string | undefined;
  tmpBytes: number | undefined;
  taskIds: number | undefined;
}

type Confining = { bwrap: string; tmpBytes: number | undefined };

const noJail: Jail = { bwrap: undefined, tmpBytes: undefined, taskIds: undefined };

/** A bubblewrap that was seen to work, if there is one. `state`: the server's own folder, which must stay hidden. */
export async function tryJail(state: string, tools: Toolchains): Promise<Jail> {
  if (process.platform !== "linux" || process.env.HANDRAIL_NO_BWRAP === "1") return noJail;
  const bwrap = findProgram("bwrap");
  if (!bwrap) return noJail;
  const trial = await realpath(await mkdtemp(join(state, "trial-")));
  try {
    // Sizes are younger than the rest: --size came with 0.7.0.
    for (const tmpBytes of [limits.execTmpBytes, undefined]) {
      const jail = { bwrap, tmpBytes };
      if (!(await confines(jail, trial, tools))) continue;
      return { ...jail, taskIds: (await limitsTasks(jail, trial, tools)) ? limits.execTaskIds : undefined };
    }
    return noJail;
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

async function confines(jail: Confining, trial: string, tools: Toolchains): Promise<boolean> {
  const root = join(trial, "workspace");
  const secret = join(trial, "secret");
  await mkdir(root, { recursive: true });
  await writeFile(join(root, "file"), "yes");
  await writeFile(secret, "hidden");
  const place = { ...jail, root, mount: "/workspace", network: false, cwd: "/workspace", tools };
  // Readable, not writable, the state folder out of sight, no interface but the loopback, node runs.
  const looks = `test -r file && ! touch made 2>/dev/null && ! test -e "$1" && test "$(grep -c : /proc/net/dev)" -le 1 && node -e 0`;
  const readonly = await run(jailed({ ...place, writable: false }, ["sh", "-c", looks, "sh", secret]), trial);
  const write = await run(jailed({ ...place, writable: true }, ["sh", "-c", "touch made"]), trial);
  return readonly === 0 && write === 0;
}

/** Whether the kernel's limit holds in that very jail, and the machine keeps its own. */
async function limitsTasks(jail: Confining, trial: string, tools: Toolchains): Promise<boolean> {
  if (!mayLimitJails()) return false;
  const machine = machineLimit();
  const place = { ...jail, root: trial, mount: "/workspace", network: false, cwd: "/workspace", tools };
  const shows = ["sh", "-c", `test "$(cat ${limitSetting})" = ${limits.execTaskIds}`];
  const command = jailed({ ...place, writable: false, gated: true }, shows);
  const limited = (await run(command, trial, limitTo(limits.execTaskIds))) === 0;
  return limited && machineLimit() === machine;
}

async function run(command: JailedCommand, cwd: string, gate?: Gate): Promise<number | null> {
  try {
    const spec = { ...command, cwd, timeoutMs: 10_000, maxOutputBytes: 4_096 };
    const outcome = await runProcess(gate ? { ...spec, gate } : spec);
    return outcome.exitCode;
  } catch {
    return null;
  }
}
