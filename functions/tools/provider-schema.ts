// The JSON schema that a provider is sent for a tool, generated from the zod schema that parses its arguments.
// Only keywords that every provider takes: OpenAI's strict subset, Gemini and llama.cpp's grammars refuse others.
import type * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import { jsonSchema } from "./json-schema.ts";

/**
 * The JSON schema of what `schema` accepts, as short as a model needs it. Alternative objects become one object with the
 * fields of all; other alternatives, and null for an optional field, are accepted but not shown.
 * `z.meta` on a schema shows more than is demanded (`required`, `maxItems`).
 */
export function providerSchema(schema: z.core.$ZodType): Record<string, unknown> {
  // "output": the fields after a schema has tidied what models write; a field with a default is asked for.
  return shownNode(jsonSchema(schema));
}

function shownNode(node: unknown): Record<string, unknown> {
  if (!isRecord(node)) return {};
  const alternatives = listOf(node.anyOf ?? node.oneOf);
  if (alternatives.length > 0) {
    const objects = alternatives.filter((one) => isRecord(one.properties));
    const [first = {}] = alternatives;
    return {
      ...(objects.length > 0 ? merged(objects.map(shownNode)) : shownNode(first)),
      ...described(node),
    };
  }
  const { type, properties, items, required, minItems, maxItems } = node;
  const values = node.const === undefined ? node.enum : [node.const];
  return {
    type,
    ...(values === undefined ? {} : { enum: values }),
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(items === undefined ? {} : { items: shownNode(items) }),
    ...(isRecord(properties) ? { properties: mapped(properties) } : {}),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...described(node),
  };
}

function mapped(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, shownNode(schema)]));
}

/** One object for several: each field as the first that has it shows it, required where all demand it. */
function merged(objects: readonly Record<string, unknown>[]): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const object of objects) {
    for (const [name, schema] of Object.entries(isRecord(object.properties) ? object.properties : {})) {
      const known = properties[name];
      properties[name] = isRecord(known) && isRecord(schema) ? withValues(known, schema) : schema;
    }
  }
  const required = Object.keys(properties).filter((name) =>
    objects.every((object) => Array.isArray(object.required) && object.required.includes(name)),
  );
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

/** `known` with the values of both, where each is a choice of some. */
function withValues(known: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(known.enum) || !Array.isArray(other.enum)) return known;
  return { ...known, enum: [...new Set([...known.enum, ...other.enum])] };
}

function described({ description }: Record<string, unknown>): { description?: unknown } {
  return description === undefined ? {} : { description };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
