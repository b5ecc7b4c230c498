// Corrects the types of arguments where the meaning is unambiguous: "3" for 3, a list that came as its JSON text.
import { isRecord } from "../../../shared/is-record.ts";
import { type JsonRecord, parseJson } from "../json-value.ts";

/** `args` with the types of the JSON schema `parameters`; ambiguous values stay. */
export function meantTypes(args: JsonRecord, parameters: JsonRecord | undefined): JsonRecord {
  const properties = isRecord(parameters?.properties) ? parameters.properties : {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const meant = isRecord(schema) && typeof value === "string" ? meantBy(value, schema.type) : undefined;
      return [name, meant ?? value];
    }),
  );
}

/** `text` as a value of `type`; undefined if it is none, or if text is wanted. */
function meantBy(text: string, type: unknown): unknown {
  const value = parseJson(text.trim());
  switch (type) {
    case "integer":
    case "number":
      return typeof value === "number" ? value : undefined;
    case "boolean":
      if (/^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === "true";
      return undefined;
    case "array":
      return Array.isArray(value) ? value : undefined;
    case "object":
      return isRecord(value) ? value : undefined;
    default:
      return undefined;
  }
}
