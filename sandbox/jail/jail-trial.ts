// Finds out whether bubblewrap can confine a command here, by running one. An installed bubblewrap alone
// proves nothing.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import * as limits from "../limits.ts";
import { groupParents, offersControllers, sweepGroups } from "./command-group.ts";
import { type Jail, type JailedRun, jailedProcess } from "./jailed-process.ts";
import { limitSetting, machineLimit, mayLimitJails } from "./process-limit.ts";
import { writeSeccompFiles } from "./seccomp-files.ts";
import type { Toolchains } from "./toolchains.ts";

/** The jail that worked when tried, if any did. `state`: the server's own folder, which must stay hidden. */
export async function tryJail(
  state: string,
  tools: Toolchains,
  memoryBytes: number,
): Promise<Jail | undefined> {
  if (process.platform !== "linux" || process.env.HANDRAIL_NO_BWRAP === "1") return undefined;
  const bwrap = findProgram("bwrap");
  if (!bwrap) return undefined;
  const trial = await realpath(await mkdtemp(join(state, "trial-")));
  try {
    // Bubblewrap limits the sizes of in-memory folders since 0.7.0 (--size). Older versions go without.
    for (const tmpBytes of [limits.execTmpBytes, undefined]) {
      const bare = {
        ...{ bwrap, tmpBytes, tools, state, memoryBytes },
        ...{ hidesFirst: false, filters: undefined, taskIds: undefined, groups: undefined },
      };
      if (!(await confines(bare, trial))) continue;
      return await withLimits(await withFilters(await withFirstHidden(bare, trial), trial), trial);
    }
    return undefined;
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

async function confines(jail: Jail, trial: string): Promise<boolean> {
  const root = join(trial, "workspace");
  const secret = join(trial, "secret");
  await mkdir(root, { recursive: true });
  await writeFile(join(root, "file"), "yes");
  await writeFile(secret, "hidden");
  // Checks that the workspace can be read but not written, that the state folder is hidden, that the loopback
  // is the only interface, and that node runs.
  const looks = `test -r file && ! touch made 2>/dev/null && ! test -e "$1" && test "$(grep -c : /proc/net/dev)" -le 1 && node -e 0`;
  const place = { root, foreign: false };
  const readonly = await run(jail, { ...place, writable: false, command: ["sh", "-c", looks, "sh", secret] });
  const write = await run(jail, { ...place, writable: true, command: ["sh", "-c", "touch made"] });
  return readonly === 0 && write === 0;
}

/** Tries to hide bubblewrap's own process by a mount over its folder in /proc. */
async function withFirstHidden(jail: Jail, trial: string): Promise<Jail> {
  const hiding = { ...jail, hidesFirst: true };
  const command = ["sh", "-c", "test -d /proc/1 && ! test -e /proc/1/cmdline && test -e /proc/self/cmdline"];
  return (await run(hiding, { root: trial, foreign: false, writable: true, command })) === 0 ? hiding : jail;
}

/** Tries both seccomp filters, with node running under them. */
async function withFilters(jail: Jail, trial: string): Promise<Jail> {
  const filters = await writeSeccompFiles(jail.state, process.arch);
  if (!filters) return jail;
  const filtered = { ...jail, filters };
  // https://man7.org/linux/man-pages/man5/proc_pid_status.5.html: 2 is SECCOMP_MODE_FILTER.
  const command = ["sh", "-c", "grep -q '^Seccomp:[^0-9]*2$' /proc/self/status && node -e 0"];
  for (const writable of [false, true])
    if ((await run(filtered, { root: trial, foreign: false, writable, command })) !== 0) return jail;
  return filtered;
}

/** Tries a cgroup for each command, then the kernel's limit on processes, and takes the first that works. */
async function withLimits(jail: Jail, trial: string): Promise<Jail> {
  for (const groups of groupParents()) {
    if (!(await offersControllers(groups))) continue;
    sweepGroups(groups);
    const grouped = { ...jail, groups };
    if (await groupHolds(grouped, trial)) return grouped;
  }
  const limited = { ...jail, taskIds: limits.execTaskIds };
  return (await limitsTasks(limited, trial)) ? limited : jail;
}

/** Whether a command runs in a cgroup of its own and ends normally. */
async function groupHolds(jail: Jail, trial: string): Promise<boolean> {
  const command = ["sh", "-c", "sleep 0 & wait; grep -q '^0::/.*handrail-' /proc/self/cgroup"];
  return (await run(jail, { root: trial, foreign: true, writable: false, command })) === 0;
}

/** Whether the kernel's limit applies in that jail and leaves the machine's own limit unchanged. */
async function limitsTasks(jail: Jail, trial: string): Promise<boolean> {
  if (!mayLimitJails()) return false;
  const machine = machineLimit();
  const command = ["sh", "-c", `test "$(cat ${limitSetting})" = ${limits.execTaskIds}`];
  const limited = (await run(jail, { root: trial, foreign: true, writable: false, command })) === 0;
  return limited && machineLimit() === machine;
}

async function run(
  jail: Jail,
  what: Pick<JailedRun, "root" | "writable" | "command" | "foreign">,
): Promise<number | null> {
  try {
    const started = jailedProcess(jail, { ...what, mount: "/workspace", cwd: "/workspace" });
    const outcome = await runProcess({ ...started, timeoutMs: 10_000, maxOutputBytes: 4_096 });
    return outcome.exitCode;
  } catch {
    return null;
  }
}
