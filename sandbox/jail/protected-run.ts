// Runs a command between the guard's two halves: when nothing of it runs any more, what it may not leave is taken out,
// and its result says so.
import type { ExecValue } from "../../shared/sandbox.ts";
import type { Folder } from "../workspace/folder.ts";
import { heldBack } from "./held-back.ts";
import { jailEnd } from "./jail-end.ts";
import type { Gate } from "./process-limit.ts";
import type { GuardedRun, GuardOptions } from "./protected-guard.ts";

/** The guard of a workspace with those of its git folders outside, which are held by their own mounts. */
export async function beginGuards(
  folder: Pick<Folder, "guard" | "outsideGuards">,
  options: GuardOptions,
): Promise<GuardedRun> {
  const inside = await folder.guard.begin(options);
  const begun = [inside];
  try {
    // A command's own settings of editors are not looked for there: it sees nothing but git's folder.
    const place = { ...options, editors: true };
    if (options.writable)
      for (const guard of folder.outsideGuards)
        begun.push(await guard.begin({ ...place, mount: guard.root }));
  } catch (error) {
    for (const one of begun) await one.end();
    throw error;
  }
  return {
    args: inside.args,
    end: async () => {
      const notes: string[] = [];
      for (const one of begun) notes.push(...(await one.end()));
      return notes;
    },
  };
}

/** `run` is given a gate, for the jail in which the command runs; see process-limit.ts. */
export async function guardedRun(
  guard: GuardedRun,
  run: (gate: Gate) => Promise<ExecValue>,
): Promise<ExecValue> {
  let ended = async () => {};
  const gate: Gate = async (pid) => {
    ended = jailEnd(pid);
  };
  // Whatever becomes of it: what it leaves goes.
  const [done] = await Promise.allSettled([(async () => run(gate))()]);
  await ended();
  const notes = await guard.end();
  if (done.status === "rejected") throw done.reason;
  const { value } = done;
  return { ...value, stderr: withNotes(value.stderr, [...notes, ...heldBack(value)]) };
}

function withNotes(stderr: string, notes: readonly string[]): string {
  if (notes.length === 0) return stderr;
  const before = stderr === "" || stderr.endsWith("\n") ? stderr : `${stderr}\n`;
  return `${before}${notes.join("\n")}\n`;
}
