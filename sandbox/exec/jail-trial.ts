// Finds out by running it whether bubblewrap confines a command here. Looking for the program proves nothing.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../limits.ts";
import { findProgram } from "./environment.ts";
import { type JailedCommand, jailed } from "./jail.ts";
import { runProcess } from "./run-process.ts";
import type { Toolchains } from "./toolchains.ts";

export interface Jail {
  bwrap: string | undefined;
  tmpBytes: number | undefined;
}

const noJail: Jail = { bwrap: undefined, tmpBytes: undefined };

/** A bubblewrap that was seen to work, if there is one. `state`: the server's own folder, which must stay hidden. */
export async function tryJail(state: string, tools: Toolchains): Promise<Jail> {
  if (process.platform !== "linux" || process.env.HANDRAIL_NO_BWRAP === "1") return noJail;
  const bwrap = findProgram("bwrap");
  if (!bwrap) return noJail;
  const trial = await realpath(await mkdtemp(join(state, "trial-")));
  try {
    // Sizes are younger than the rest: --size came with 0.7.0.
    for (const tmpBytes of [limits.execTmpBytes, undefined])
      if (await confines({ bwrap, tmpBytes }, trial, tools)) return { bwrap, tmpBytes };
    return noJail;
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

async function confines(
  jail: { bwrap: string; tmpBytes: number | undefined },
  trial: string,
  tools: Toolchains,
): Promise<boolean> {
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

async function run(command: JailedCommand, cwd: string): Promise<number | null> {
  try {
    const outcome = await runProcess({ ...command, cwd, timeoutMs: 10_000, maxOutputBytes: 4_096 });
    return outcome.exitCode;
  } catch {
    return null;
  }
}
