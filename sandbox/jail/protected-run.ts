// Runs a command between the guard's two halves: when nothing of it runs any more, what it may not leave is taken out,
// and its result says so.
import type { ExecValue } from "../../shared/sandbox.ts";
import { heldBack } from "./held-back.ts";
import { jailEnd } from "./jail-end.ts";
import type { Gate } from "./process-limit.ts";
import type { GuardedRun } from "./protected-guard.ts";

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
