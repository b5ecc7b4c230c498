// MCP servers that are programs: each is started in the sandbox by a command that the person gave, for one question at a
// time. What is here makes the command of the sandbox and reads what it printed.
import * as z from "zod/mini";
import type { McpTool } from "../../shared/mcp.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import type { SandboxCall } from "../calls/prepared.ts";
import { sandboxNotes } from "../calls/sandbox-notes.ts";
import { formOfTool } from "./definitions.ts";
import { McpFailure } from "./failure.ts";
import { mcpLimits } from "./limits.ts";
import { mayHaveRun, offered, spoken } from "./revisions.ts";
import { stdioClient } from "./stdio-client.ts";

interface StdioCall {
  tool: McpTool;
  args: unknown;
  seconds?: number | undefined;
}

/** What the program in the sandbox prints. `form`s and texts of it are foreign. */
const StdioSaid = z.union([
  z.object({ tools: z.array(z.unknown()), title: z.string() }),
  z.object({ changed: z.enum(["gone", "other"]) }),
  z.object({ fault: z.string(), sent: z.boolean(), stderr: z.string() }),
  z.object({ error: z.object({ code: z.optional(z.unknown()), message: z.optional(z.unknown()) }) }),
  z.object({ result: z.optional(z.unknown()) }),
]);

/** The op that starts `command` and asks it for its tools, or makes one call. Throws McpFailure where that is too long. */
export function stdioOp(command: string, version: string, call?: StdioCall): SandboxCall {
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
      // Its first line is what a person sees of a command that runs.
      command: `# ${command}\nexec node -e "$HANDRAIL_MCP_CLIENT"`,
      env: { HANDRAIL_MCP: asked, HANDRAIL_MCP_CLIENT: stdioClient },
      timeoutMs: call ? before + ms : before,
      maxOutputBytes: 4 * 1024 * 1024,
    },
  };
}

/** What came of a list of tools: unchecked. Throws McpFailure. */
export function toolsOf(result: CallResult): { title: string; tools: unknown[] } {
  const said = saidIn(result);
  if ("tools" in said) return said;
  throw new McpFailure("answered with something that is no list of tools.");
}

/** What came of a call: its result as the server gave it, or that the tool is another by now. Throws McpFailure. */
export function answerOf(result: CallResult): { changed: "gone" | "other" } | { result?: unknown } {
  const said = saidIn(result);
  if ("error" in said)
    throw new McpFailure(
      "refused it.",
      mayHaveRun(Number(said.error.code)),
      String(said.error.message ?? "no reason given").slice(0, 1_000),
    );
  if ("changed" in said || "result" in said) return said;
  throw new McpFailure("answered with something that is not MCP.", true);
}

function saidIn({ ok, value, error }: CallResult): z.infer<typeof StdioSaid> {
  if (!ok)
    throw new McpFailure(
      `could not be started: ${error?.message ?? "the sandbox gave no reason"}`,
      error?.code === "outcome_unknown",
    );
  const exec = z.parse(ExecValue, value);
  const said = z.safeParse(StdioSaid, parsed(exec.stdout));
  if (!said.success) throw unread(exec);
  if (!("fault" in said.data)) return said.data;
  const { fault, sent, stderr } = said.data;
  throw new McpFailure(fault, sent, [stderr.trim(), ...sandboxNotes({ ...exec, stderr })].join("\n").trim());
}

/** The program that asks did not come to its end. */
function unread(exec: ExecValue): McpFailure {
  const { exitCode, stderr, timedOut } = exec;
  if (exitCode === 127)
    return new McpFailure("could not be started: programs that are MCP servers need Node in the sandbox.");
  const why = timedOut ? "it took too long" : `exit ${exitCode ?? exec.signal}`;
  return new McpFailure(`was ended (${why}).`, true, stderr.slice(-2_000).trim());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
