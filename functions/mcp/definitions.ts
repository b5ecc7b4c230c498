// What servers say of their tools: checked, compared, and made into what the model is shown. Everything here is foreign text.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import { McpTool } from "../../shared/mcp.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { sha256Hex } from "../sha256.ts";
import { mcpLimits } from "./limits.ts";

const deepest = 40;

/**
 * `left`: how many are too large, or not what they should be. Of two with one name the first counts. `isProgram`: our own
 * program in the sandbox lists them, with a digest of each.
 */
export function readTools(said: readonly unknown[], isProgram = false): { tools: McpTool[]; left: number } {
  const tools = new Map<string, McpTool>();
  for (const one of said) {
    const tool = readTool(one, isProgram);
    if (tool && !tools.has(tool.name) && tools.size < mcpLimits.tools) tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], left: said.length - tools.size };
}

function readTool(said: unknown, isProgram: boolean): McpTool | undefined {
  if (!isRecord(said) || isDeeperThan(said, deepest)) return undefined;
  const { name, description = "", inputSchema, annotations, form } = said;
  if (JSON.stringify([description, inputSchema]).length > mcpLimits.toolChars) return undefined;
  const readOnly = isRecord(annotations) && annotations.readOnlyHint === true;
  const digest = isProgram && typeof form === "string" ? { form } : {};
  const tool = { name, description, inputSchema, ...(readOnly ? { readOnly } : {}), ...digest };
  return z.safeParse(McpTool, tool).data;
}

/**
 * SHA-256 of what the person was shown of a tool: its server's address, its name, its description, its schema. What they
 * allow is bound to it. The order of keys does not matter.
 */
export function hashOfTool(
  where: string,
  { name, description, inputSchema, readOnly = false, form }: McpTool,
): Promise<string> {
  const whole = form === undefined ? [] : [form];
  return sha256Hex(JSON.stringify(sorted([where, name, description, inputSchema, readOnly, ...whole])));
}

/** The same without where it is, whole or as a digest: a program in the sandbox is compared there (stdio-client.ts). */
export function formOfTool({ name, description, inputSchema, readOnly = false, form }: McpTool): string {
  return form ?? JSON.stringify(sorted([name, description, inputSchema, readOnly]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted(value[key])]);
}

/** The model reads what the person saw: nothing in the texts hides. */
export function shownSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { $schema: _, ...shown } = visibleWords(schema);
  return { ...shown, type: "object" };
}

function visibleWords(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, visibleIn(key, value)]));
}

function visibleIn(key: string, value: unknown): unknown {
  if (typeof value === "string") return key === "description" || key === "title" ? visibleText(value) : value;
  if (Array.isArray(value)) return value.map((one) => visibleIn("", one));
  return isRecord(value) ? visibleWords(value) : value;
}
