// `run_command`: a shell command in the jail; how it ended, its output, and which hosts it was refused.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import type { RefusedHost } from "../../shared/network.ts";
import { ExecArgs, ExecValue } from "../../shared/sandbox.ts";
import { gapWithRemedy, sized, withNote } from "./result-text.ts";
import { sandboxTool } from "./tool.ts";

const { cwd, timeoutMs } = ExecArgs.shape;
const Args = z.strictObject({
  command: z.string().check(z.regex(/\S/, "must not be blank")),
  cwd,
  timeoutMs,
});

export const runCommand = sandboxTool({
  name: "run_command",
  description:
    "Run a shell command in the workspace. In plan mode nothing can be written and there is no network.",
  schema: Args,
  modes: ["normal", "plan", "auto"],
  waits: true,
  commands: (args) => (isRecord(args) && typeof args.command === "string" ? [args.command] : []),
  call: (args) => ({ op: "exec", args }),
  value: ExecValue,
  text: (exec) => ({ text: execText(exec), facts: execFacts(exec) }),
  trimming: { digest: "Commands run", argument: "command", maxChars: 160 },
});

/** How a command ended, then its output: what a model needs to go on. At most `limits.maxToolContentBytes`. */
export function execText(exec: ExecValue): string {
  const how = exec.timedOut ? "timed out" : exec.signal ? `ended by ${exec.signal}` : `exit ${exec.exitCode}`;
  const parts = [how];
  if (exec.stdout !== "") parts.push(exec.stdout.trimEnd());
  if (exec.stderr !== "") parts.push(`[stderr]\n${exec.stderr.trimEnd()}`);
  if (exec.stdout === "" && exec.stderr === "") parts.push("(no output)");
  parts.push(...refusedHostsText(exec.refusedHosts ?? []));
  const text = withNote(parts.join("\n"), exec.truncated, "the output was longer than what is kept of it");
  return sized(text, gapWithRemedy("narrow it with head, tail or grep"));
}

function execFacts({ exitCode, timedOut, refusedHosts }: ExecValue): Record<string, unknown> {
  return { exitCode, timedOut, ...(refusedHosts ? { refusedHosts } : {}) };
}

/** Which hosts the command could not reach, and what can be done about it. */
function refusedHostsText(refused: readonly RefusedHost[]): string[] {
  const hosts = (reason: RefusedHost["reason"]) =>
    refused
      .filter((one) => one.reason === reason)
      .map(({ host }) => host)
      .join(", ");
  const lines: string[] = [];
  const closed = hosts("not_allowed");
  if (closed !== "")
    lines.push(
      `[network: refused ${closed}. Only package registries and hosts that the person allowed can be reached. The person can allow a host on the phone, on this call's card: if the work needs it, say which and why, and stop; do not look for a way around it]`,
    );
  const local = hosts("private_address");
  if (local !== "")
    lines.push(
      `[network: refused ${local}: addresses of this machine and its network are never reached, and cannot be allowed]`,
    );
  const others = hosts("another_name");
  if (others !== "")
    lines.push(
      `[network: refused a connection for ${others}: it has to be TLS, or plain HTTP, that names that very host]`,
    );
  return lines;
}
