// MCP servers that are programs: the person's command starts one in the sandbox for each question. This file builds the
// sandbox's command and parses its output.
import * as z from "zod/mini";
import type { McpTool } from "../../shared/mcp.ts";
import { parsedJson } from "../../shared/parsed-json.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import type { SandboxCall } from "../calls/prepared.ts";
import { sandboxNotes } from "../calls/sandbox-notes.ts";
import { formOfTool } from "./definitions.ts";
import { McpFailure } from "./failure.ts";
import { mcpLimits } from "./limits.ts";
import { mayHaveRun, offered, spoken } from "./revisions.ts";
import { holdsSecret } from "./secrets.ts";
import { stdioClient } from "./stdio-client.ts";

interface StdioCall {
  tool: McpTool;
  args: unknown;
  seconds?: number | undefined;
}

/** The server's answer, as the program in the sandbox prints it. It is untrusted text. */
const StdioSaid = z.union([
  z.object({ tools: z.array(z.unknown()), title: z.string() }),
  z.object({ changed: z.enum(["gone", "other"]) }),
  z.object({ error: z.object({ code: z.optional(z.unknown()), message: z.optional(z.unknown()) }) }),
  z.object({ result: z.unknown() }),
]);

/** The reason why it could not ask. The words are chosen here, because the server can write to the program's output. */
const StdioFault = z.object({
  fault: z.enum(["late", "long", "start", "ended", "revision", "list"]),
  sent: z.boolean(),
  stderr: z.string(),
  seconds: z.optional(z.number()),
  how: z.optional(z.string().check(z.regex(/^(?:SIG[A-Z0-9]+|exit \d+)$/))),
});
type StdioFault = z.infer<typeof StdioFault>;

/** Exit codes of the program, which the server cannot influence: a fault; an error of the server. */
const [faultExit, errorExit] = [70, 71];

/**
 * The op that starts `command` and lists its tools or makes one call. `offline` means that it will have no network.
 * Throws McpFailure if the command is too long or contains a secret.
 */
export function stdioOp(command: string, version: string, call?: StdioCall, offline = false): SandboxCall {
  if (holdsSecret(command))
    throw new McpFailure(
      "is a command with a key, token or password in it, which would be kept with the session: it is not started. Let it read that from a file of the project, or use a server with an address.",
    );
  const callMs = (call?.seconds ?? mcpLimits.callMs / 1_000) * 1_000;
  const { startMs, helloMs, endMs, execMs } = mcpLimits;
  const before = startMs + helloMs + endMs;
  const ms = Math.min(callMs, execMs - before);
  const asked = JSON.stringify({
    ...{ command, offered, spoken: [...spoken], limits: mcpLimits },
    client: { name: "Handrail", version },
    ...(call && {
      call: { name: call.tool.name, form: formOfTool(call.tool), arguments: call.args, ms },
    }),
  });
  if (new TextEncoder().encode(asked).length > mcpLimits.argumentBytes)
    throw new McpFailure("is a program in the sandbox, which takes at most 100 KB. Give it less at a time.");
  return {
    op: "exec",
    args: {
      // The person sees the first line of a command that runs.
      command: `# ${command}\nexec node -e "$HANDRAIL_MCP_CLIENT"`,
      env: {
        ...{ HANDRAIL_MCP: asked, HANDRAIL_MCP_CLIENT: stdioClient },
        // Without a network, npx would try for a minute to download a missing package.
        ...(offline ? { npm_config_fetch_retries: "0" } : {}),
      },
      timeoutMs: call ? before + ms : before,
      maxOutputBytes: 4 * 1024 * 1024,
    },
  };
}

/** An unchecked list of tools. Throws McpFailure in words for a person, not for a model. */
export function toolsOf(result: CallResult): { title: string; tools: unknown[] } {
  const said = saidIn(result, () => []);
  if ("tools" in said) return said;
  throw new McpFailure("answered with something that is not a list of tools.");
}

/** The outcome of a call: the server's result, or the fact that the tool has changed. Throws McpFailure. */
export function answerOf(result: CallResult): { changed: "gone" | "other" } | { result?: unknown } {
  const said = saidIn(result);
  if ("error" in said) {
    const { code, message } = said.error;
    throw new McpFailure(
      "refused it.",
      typeof code !== "number" || mayHaveRun(code),
      (typeof message === "string" ? message : "no reason given").slice(0, 4_000),
    );
  }
  if ("changed" in said || ("result" in said && said.result !== undefined)) return said;
  throw notMcp();
}

function notMcp(): McpFailure {
  return new McpFailure("answered with something that is not MCP.", true);
}

function saidIn(
  { ok, value, error }: CallResult,
  notesOf: typeof sandboxNotes = sandboxNotes,
): z.infer<typeof StdioSaid> {
  if (!ok)
    throw new McpFailure(
      `could not be started: ${error?.message ?? "the sandbox gave no reason"}`,
      error?.code === "outcome_unknown",
    );
  const exec = z.parse(ExecValue, value);
  const { exitCode, stdout } = exec;
  const printed = parsedJson(stdout);
  if (exitCode === faultExit) {
    const fault = z.safeParse(StdioFault, printed);
    if (!fault.success) throw unread(exec);
    const { sent, stderr } = fault.data;
    const notes = notesOf({ ...exec, stderr });
    throw new McpFailure(faultWords(fault.data), sent, [stderr.trim(), ...notes].join("\n").trim());
  }
  const said = z.safeParse(StdioSaid, printed);
  if (said.success && (exitCode === 0 || exitCode === errorExit)) return said.data;
  throw exitCode === errorExit ? notMcp() : unread(exec);
}

function faultWords({ fault, seconds, how }: StdioFault): string {
  switch (fault) {
    case "late":
      return `did not answer within ${seconds} seconds.`;
    case "long":
      return `answered with more than ${mcpLimits.answerChars / 1_000_000} MB, and was cut off. Ask it for less.`;
    case "start":
      return "could not be started.";
    case "ended":
      return `ended by itself (${how}).`;
    case "revision":
      return "speaks a revision of MCP that is not known here.";
    case "list":
      return "answered with something that is not a list of tools.";
  }
}

/** The program that asks did not finish. */
function unread(exec: ExecValue): McpFailure {
  const { exitCode, stderr, timedOut } = exec;
  if (exitCode === 127)
    return new McpFailure("could not be started: programs that are MCP servers need Node in the sandbox.");
  const why = timedOut ? "it took too long" : `exit ${exitCode ?? exec.signal}`;
  return new McpFailure(`was ended (${why}).`, true, stderr.slice(-2_000).trim());
}
