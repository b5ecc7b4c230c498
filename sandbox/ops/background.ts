// Background commands: `exec` with `background` starts one; the op `background` reads its further output and
// ends it.
import type { BackgroundArgs } from "../../shared/background.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { ExecArgs, ExecValue } from "../../shared/sandbox.ts";
import { BackgroundCommand } from "../exec/background-command.ts";
import * as limits from "../limits.ts";
import { waitAtMost } from "../wait-at-most.ts";
import { exec } from "./exec.ts";
import type { OpContext } from "./op-context.ts";
import { seeMoves } from "./own-commits.ts";

/**
 * Resolves when the command has ended or has run for a while. The files that it writes count as written by
 * others. Its commits are this sandbox's.
 */
export async function startInBackground(args: ExecArgs, context: OpContext): Promise<ExecValue> {
  const { sandbox, server } = context;
  if (args.tree !== undefined)
    throw new HandrailError(
      "invalid_request",
      "background: not together with tree, whose copy is thrown away.",
    );
  const one = new BackgroundCommand(server.newId().slice(0, 6), args.command, server.now());
  sandbox.background.add(one);
  const output: OpContext["output"] = (_stream, _offset, text) => one.print(text);
  const run = async () => {
    try {
      return await exec(args, { ...context, signal: one.abort.signal, output, background: one });
    } finally {
      await seeMoves(sandbox, true);
    }
  };
  one.follow(run());
  await untilEnd(one, limits.backgroundStartMs, context.signal);
  if (context.signal.aborted) one.abort.abort();
  if (one.failure !== undefined) sandbox.background.remove(one);
  return one.read();
}

export async function background(
  { id, stop, waitMs = 0 }: BackgroundArgs,
  { sandbox, signal }: OpContext,
): Promise<ExecValue> {
  const one = sandbox.background.get(id);
  if (stop) await one.stop();
  else await untilEnd(one, waitMs, signal);
  return one.read();
}

async function untilEnd(one: BackgroundCommand, waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs === 0 || signal.aborted) return;
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await waitAtMost(Promise.race([one.ended, aborted]), waitMs);
}
