// Finds out by running it whether bubblewrap confines a command here. Looking for the program proves nothing.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "./environment.ts";
import { type JailedCommand, jailed } from "./jail.ts";
import { runProcess } from "./run-process.ts";

/** Path of a bubblewrap that was seen to work, or undefined. `state`: the server's own folder, which must stay hidden. */
export async function tryJail(state: string): Promise<string | undefined> {
  if (process.platform !== "linux" || process.env.HANDRAIL_NO_BWRAP === "1") return undefined;
  const bwrap = findProgram("bwrap");
  if (!bwrap) return undefined;
  const trial = await realpath(await mkdtemp(join(state, "trial-")));
  try {
    const root = join(trial, "workspace");
    const secret = join(trial, "secret");
    await mkdir(root);
    await writeFile(join(root, "file"), "yes");
    await writeFile(secret, "hidden");
    const place = { bwrap, root, mount: "/workspace", network: false, cwd: "/workspace" };
    // Readable, not writable, the state folder out of sight, no interface but the loopback, node runs.
    const looks = `test -r file && ! touch made 2>/dev/null && ! test -e "$1" && test "$(grep -c : /proc/net/dev)" -le 1 && node -e 0`;
    const readonly = await run(
      jailed({ ...place, writable: false }, ["sh", "-c", looks, "sh", secret]),
      trial,
    );
    const write = await run(jailed({ ...place, writable: true }, ["sh", "-c", "touch made"]), trial);
    return readonly === 0 && write === 0 ? bwrap : undefined;
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

async function run(command: JailedCommand, cwd: string): Promise<number | null> {
  try {
    const outcome = await runProcess({ ...command, cwd, timeoutMs: 10_000, maxOutputBytes: 4_096 });
    return outcome.exitCode;
  } catch {
    return null;
  }
}
