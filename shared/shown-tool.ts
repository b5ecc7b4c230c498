// The schema of an MCP tool as the model reads it, and the person on the phone: the same text, in which nothing hides.
import { isRecord } from "./is-record.ts";
import { visibleText } from "./visible-text.ts";

/** Names, values and texts get marks alike. A call that needs a marked one is refused by its server, in the server's words. */
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
