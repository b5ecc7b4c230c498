// Reads what servers say about their tools: checks it, compares it, and removes secrets. All of it is untrusted text.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import { McpTool } from "../../shared/mcp.ts";
import { sha256Hex } from "../sha256.ts";
import { mcpLimits } from "./limits.ts";
import type { Redact } from "./secrets.ts";

const deepest = 40;

/**
 * `left` counts the tools that are left out because they are invalid, too large or too many, or have the name of an
 * earlier one. `isProgram`: our own program in the sandbox lists them, each with a digest. `redact` removes secrets
 * before texts are compared, so that a text stays the same when a token that it repeats changes.
 */
export function readTools(
  said: readonly unknown[],
  redact: Redact,
  isProgram = false,
): { tools: McpTool[]; left: number } {
  const tools = new Map<string, McpTool>();
  let room = mcpLimits.listChars;
  for (const one of said) {
    const tool = tools.size < mcpLimits.tools ? readTool(one, room, redact, isProgram) : undefined;
    if (!tool || tools.has(tool.name)) continue;
    tools.set(tool.name, tool);
    room -= JSON.stringify(tool).length;
  }
  return { tools: [...tools.values()], left: said.length - tools.size };
}

function readTool(said: unknown, room: number, redact: Redact, isProgram: boolean): McpTool | undefined {
  if (!isRecord(said) || isDeeperThan(said, deepest)) return undefined;
  const { name, description = "", inputSchema, annotations, form } = said;
  const chars = JSON.stringify([description, inputSchema]).length;
  if (chars > Math.min(mcpLimits.toolChars, room)) return undefined;
  const readOnly = isRecord(annotations) && annotations.readOnlyHint === true;
  const digest = isProgram && typeof form === "string" ? { form } : {};
  const tool = z.safeParse(McpTool, withoutSecrets({ description, inputSchema }, redact, name)).data;
  return tool && { ...tool, ...(readOnly ? { readOnly } : {}), ...digest };
}

/**
 * Undefined if the name is not a string or contains a secret: a call by the name without the secret could not be made.
 */
function withoutSecrets(texts: object, redact: Redact, name: unknown): unknown {
  if (typeof name !== "string" || redact(name) !== name) return undefined;
  try {
    return { ...JSON.parse(redact(JSON.stringify(texts))), name };
  } catch {
    // The mark that replaced a secret also replaced a quote.
    return undefined;
  }
}

/**
 * SHA-256 of everything that the person was shown of a tool: its server's address, its name, description and
 * schema, and whether it only reads. A permission is bound to it. The order of keys does not matter.
 */
export function hashOfTool(
  where: string,
  { name, description, inputSchema, readOnly = false, form }: McpTool,
): Promise<string> {
  const whole = form === undefined ? [] : [form];
  return sha256Hex(JSON.stringify(sorted([where, name, description, inputSchema, readOnly, ...whole])));
}

/**
 * The same without the server's address, as a whole or as a digest: a program in the sandbox is compared there
 * (stdio-client.ts).
 */
export function formOfTool({ name, description, inputSchema, readOnly = false, form }: McpTool): string {
  return form ?? JSON.stringify(sorted([name, description, inputSchema, readOnly]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted(value[key])]);
}
