// The schema of an MCP tool with invisible characters marked. The model and the person on the phone get the same text.
import { isRecord } from "./is-record.ts";
import { visibleText } from "./visible-text.ts";

/**
 * Names, values and texts are all marked. If a call needs a name or value that was marked, the MCP server rejects it
 * with its own message.
 */
export function shownSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { $schema: _, ...shown } = visibleIn(schema);
  return { ...shown, type: "object" };
}

function visibleIn(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [visibleText(key), visibleValue(value)]),
  );
}

function visibleValue(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  return isRecord(value) ? visibleIn(value) : value;
}
