// The `tool.started` event: sent when a call, or a check it runs, begins in the sandbox.
import * as z from "zod/mini";
import type { EphemeralEvent } from "../../shared/event.ts";
import { ExecArgs } from "../../shared/sandbox.ts";
import type { SandboxCall } from "../calls/prepared.ts";
import { asWritten } from "../plan/check-call.ts";

type ToolStarted = Extract<EphemeralEvent, { event: "tool.started" }>;

/** TURN/ROUND/ORDINAL of the model's call, with `/PART` for what the engine runs for it, such as a check. */
const callKey = /^(?<origin>[^/]+\/\d+)\/(?<ordinal>\d+)(?:\/(?<part>.+))?$/;

/** The id of the model's call that a sandbox key belongs to; undefined for calls that the engine makes on its own. */
export function ownerOfKey(key: string): { origin: string; ordinal: number; part: string } | undefined {
  const { origin, ordinal, part = "" } = callKey.exec(key)?.groups ?? {};
  return origin === undefined ? undefined : { origin, ordinal: Number(ordinal), part };
}

/**
 * Undefined where the person does not wait for what begins: a snapshot, a restore, a list of files. `at`: milliseconds
 * of the sandbox's clock.
 */
export function callStarted(
  toolCallId: string,
  { key, op, args }: SandboxCall & { key: string },
  at: number,
): ToolStarted | undefined {
  const part = ownerOfKey(key)?.part;
  if (part === "" || /^again\d*$/.test(part ?? " "))
    return { event: "tool.started", data: { toolCallId, at } };
  const checks = op === "exec" && part !== undefined && /^(cp|end)\d*$/.test(part);
  const exec = checks ? z.safeParse(ExecArgs, args) : undefined;
  if (!exec?.success) return undefined;
  const { command, timeoutMs: limitMs } = exec.data;
  const check = { command: asWritten(command), ...(limitMs === undefined ? {} : { limitMs }) };
  return { event: "tool.started", data: { toolCallId, at, check } };
}
