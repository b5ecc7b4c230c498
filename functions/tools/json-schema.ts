// The JSON schema of a zod schema, for the few kinds that tools' arguments are made of. Zod's own converter knows
// every kind and would be a tenth of the worker script.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";

/** What a parsed value looks like, with what `z.meta` and `z.describe` say. Kinds that have no form here accept anything. */
export function jsonSchema(schema: unknown): Record<string, unknown> {
  if (!isSchema(schema)) return {};
  const { def, bag } = schema._zod;
  return { ...written({ ...def }, bag), ...z.globalRegistry.get(schema) };
}

function written(def: Record<string, unknown>, bag: Record<string, unknown>): Record<string, unknown> {
  switch (def.type) {
    case "string":
    case "boolean":
    case "null":
      return { type: def.type };
    case "number":
      return { type: isInteger(def.checks) ? "integer" : "number" };
    case "enum":
      return { type: "string", enum: isRecord(def.entries) ? Object.values(def.entries) : [] };
    case "literal": {
      const values = Array.isArray(def.values) ? def.values : [];
      return { type: typeof values[0], enum: values };
    }
    case "array":
      return { type: "array", minItems: bag.minimum, maxItems: bag.maximum, items: jsonSchema(def.element) };
    case "object":
      return objectSchema(isRecord(def.shape) ? def.shape : {});
    case "union":
      return { anyOf: Array.isArray(def.options) ? def.options.map(jsonSchema) : [] };
    case "nullable":
      return { anyOf: [jsonSchema(def.innerType), { type: "null" }] };
    case "optional":
    case "default":
    case "prefault":
    case "readonly":
    case "catch":
      return jsonSchema(def.innerType);
    default:
      return {};
  }
}

function objectSchema(shape: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(shape);
  const required = fields.filter(([, field]) => isSchema(field) && !field._zod.optout);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field)])),
    required: required.map(([name]) => name),
  };
}

function isInteger(checks: unknown): boolean {
  return Array.isArray(checks) && checks.some((check) => isSchema(check) && formatOf(check).includes("int"));
}

function formatOf({ _zod: { def } }: z.core.$ZodType): string {
  return "format" in def ? String(def.format) : "";
}

/** This does not use `instanceof`, because importing the class would pull all of zod into the worker script. */
function isSchema(value: unknown): value is z.core.$ZodType {
  return isRecord(value) && isRecord(value._zod);
}
