// `run_command`: a shell command in the jail; how it ended, its output, and which hosts it was refused.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import { ExecArgs, ExecValue } from "../../shared/sandbox.ts";
import { gapWithRemedy, sized, withNote } from "../calls/result-text.ts";
import { networkFacts, sandboxNotes } from "../calls/sandbox-notes.ts";
import { sandboxTool } from "./tool.ts";

const { cwd, timeoutMs } = ExecArgs.shape;
const RunCommandArgs = z.strictObject({
  command: z.string().check(z.regex(/\S/, "must not be blank")),
  cwd,
  timeoutMs,
  tree: z.optional(z.literal("start").check(z.describe("files as the session began"))),
  background: z.optional(z.boolean()),
});

/** How much is kept of a command that was stopped: enough to see what it was doing. */
const cutLines = 24;

export const runCommand = sandboxTool({
  name: "run_command",
  description: "Run a shell command. No network unless allowed. background: until the turn ends.",
  schema: RunCommandArgs,
  modes: ["normal", "plan", "auto"],
  waits: true,
  commands: (args) => (isRecord(args) && typeof args.command === "string" ? [args.command] : []),
  call: (args) => ({ op: "exec", args }),
  value: ExecValue,
  text: (exec) => ({ text: withoutLogin(exec, execText(exec)), facts: execFacts(exec) }),
  cut: lastLines,
  trimming: { digest: "Commands run", argument: "command", maxChars: 160 },
});

/** Git's messages over https and ssh if it lacks the login that is asked for, or lacks the network to get that far. */
const noLogin =
  /unable to access '|Could not resolve hostname|could not read (?:Username|Password) for|Authentication failed for|terminal prompts disabled|^git@\S+: Permission denied/m;

function withoutLogin({ stderr, exitCode }: ExecValue, text: string): string {
  if (exitCode === 0 || !noLogin.test(stderr)) return text;
  return `${text}\n[commands have no login for the remote: the person pushes, by deliver where you have it]`;
}

/** How a command ended, then its output: what a model needs to continue. At most `limits.maxToolContentBytes`. */
export function execText(exec: ExecValue): string {
  const { id, running, ports = [] } = exec.background ?? {};
  const listens =
    ports.length > 0
      ? `, listens on ${ports.join(", ")} for its own processes alone: start and ask it in one command`
      : "";
  const how = running
    ? `runs in the background as ${id}${listens}: read_output, stop_command`
    : exec.timedOut
      ? "timed out"
      : exec.signal
        ? `ended by ${exec.signal}`
        : `exit ${exec.exitCode}`;
  const parts = [how];
  if (exec.stdout !== "") parts.push(exec.stdout.trimEnd());
  if (exec.stderr !== "") parts.push(`[stderr]\n${exec.stderr.trimEnd()}`);
  if (exec.stdout === "" && exec.stderr === "") parts.push(exec.background ? "(nothing new)" : "(no output)");
  parts.push(...sandboxNotes(exec));
  const text = withNote(parts.join("\n"), exec.truncated, "the output was longer than what is kept of it");
  return sized(text, gapWithRemedy("narrow it with head, tail or grep"));
}

/** The last output of a command that was stopped. */
function lastLines({ stdout, stderr }: ExecValue): string[] {
  const lines = [stdout.trimEnd(), stderr.trimEnd()].join("\n").trim().split("\n");
  const last = lines.slice(-cutLines);
  const which = last.length < lines.length ? `The last ${last.length} lines of its output` : "Its output";
  return lines.join("") === "" ? ["It had printed nothing."] : [`${which} until then:`, ...last];
}

export function execFacts(exec: ExecValue): Record<string, unknown> {
  const { exitCode, timedOut, background } = exec;
  return {
    ...{ exitCode, timedOut },
    ...(background?.running ? { background: background.id } : {}),
    ...networkFacts(exec),
  };
}
