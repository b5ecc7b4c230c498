// A tool's JSON schema as one line of text: the form for models without native calls, at a third of the size.
import { isRecord } from "../../../shared/is-record.ts";
import { stringOrEmpty } from "../json-value.ts";
import type { ToolDefinition } from "../prompt.ts";

/** `name {path: string, start?: integer}: description` */
export function toolSignature({ name, description, parameters }: ToolDefinition): string {
  return `${name} ${typeText(parameters)}: ${description}`;
}

function typeText(schema: unknown): string {
  if (!isRecord(schema)) return "any";
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join("|");
  if (Array.isArray(schema.type)) return schema.type.join("|");
  if (schema.type === "array") return `${typeText(schema.items)}[]`;
  if (schema.type === "object" || isRecord(schema.properties)) return objectText(schema);
  return stringOrEmpty(schema.type) || "any";
}

function objectText({ properties, required }: Record<string, unknown>): string {
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(
    ([name, schema]) => `${name}${needed.includes(name) ? "" : "?"}: ${typeText(schema)}`,
  );
  return `{${fields.join(", ")}}`;
}
