// The facts that a tool message carries as data (`meta.facts`), and the arguments of its call, for cards and counts.
import * as z from "zod/mini";
import type { ToolMessage } from "../message.ts";
import { RefusedHost } from "../network.ts";
import type { FileCount } from "./session-state.ts";

const ChangedFact = z.object({
  path: z.string(),
  added: z.number(),
  removed: z.number(),
  diff: z.optional(z.string()),
});
export type ChangedFact = z.infer<typeof ChangedFact>;
const Facts = z.object({
  path: z.optional(z.string()),
  added: z.optional(z.number()),
  removed: z.optional(z.number()),
  /** The files that an edit changed; for a search, the number of files in which it found something. */
  files: z.optional(z.union([z.array(ChangedFact), z.number()])),
  exitCode: z.optional(z.nullable(z.number())),
  timedOut: z.optional(z.boolean()),
  ms: z.optional(z.number()),
  code: z.optional(z.string()),
  /** The MCP server that was asked, and its tool. */
  server: z.optional(z.string()),
  tool: z.optional(z.string()),
  /** The id of a command that continues in the background. */
  background: z.optional(z.string()),
  /** Hosts that the proxy refused to a command. */
  refusedHosts: z.optional(z.array(RefusedHost)),
  /** The command failed because it had no network, which the person can open. */
  needsNetwork: z.optional(z.boolean()),
});
export type Facts = z.infer<typeof Facts>;

/** The facts that this version knows. If one has an unexpected type, all of them are ignored. */
export function factsOf(message: ToolMessage): Facts {
  const parsed = z.safeParse(Facts, message.meta?.facts ?? {});
  return parsed.success ? parsed.data : {};
}

/** Whether this is the result of a command that ran; a refused or denied one has no exit code. */
export function commandRan(message: ToolMessage): boolean {
  if (message.name !== "run_command") return false;
  const { exitCode, timedOut } = factsOf(message);
  return exitCode !== undefined || timedOut === true;
}

/** The files that were changed according to this result. */
export function changedFiles(message: ToolMessage): ChangedFact[] {
  if (!message.ok) return [];
  const { files, path, added, removed } = factsOf(message);
  if (Array.isArray(files)) return files;
  return path === undefined || added === undefined ? [] : [{ path, added, removed: removed ?? 0 }];
}

export function addedChanges(
  changes: Record<string, FileCount>,
  message: ToolMessage,
): Record<string, FileCount> {
  const files = changedFiles(message);
  if (files.length === 0) return changes;
  const sum = { ...changes };
  for (const { path, added, removed } of files) {
    // A file may be called like a property of every object (`constructor`).
    const old = (Object.hasOwn(sum, path) && sum[path]) || { added: 0, removed: 0 };
    sum[path] = { added: old.added + added, removed: old.removed + removed };
  }
  return sum;
}

const CallArguments = z.object({
  path: z.optional(z.string()),
  command: z.optional(z.string()),
  cwd: z.optional(z.string()),
  background: z.optional(z.boolean()),
  pattern: z.optional(z.string()),
  task: z.optional(z.string()),
  goal: z.optional(z.string()),
  summary: z.optional(z.string()),
});
export type CallArguments = z.infer<typeof CallArguments>;

/** The arguments that are shown; `{}` if the model's JSON is invalid or does not match. */
export function callArguments(json: string): CallArguments {
  try {
    const parsed = z.safeParse(CallArguments, JSON.parse(json));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
