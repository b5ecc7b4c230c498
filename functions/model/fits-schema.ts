// Whether arguments are what the JSON schema of a tool shows. Where they are not, the module that mends them is loaded.
import { isRecord } from "../../shared/is-record.ts";

/** Only the keywords that our schemas have; a field that is not shown does not fit, although it may be taken. */
export function fitsSchema(value: unknown, schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { type, properties, items, required } = schema;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
  if (type === "integer" || type === "number") return typeof value === "number";
  if (type === "array")
    return Array.isArray(value) && value.every((item: unknown) => fitsSchema(item, items));
  if (type !== "object") return typeof type !== "string" || typeof value === type;
  const shown = isRecord(properties) ? properties : {};
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([name, field]) => Object.hasOwn(shown, name) && fitsSchema(field, shown[name]),
    ) &&
    (Array.isArray(required) ? required : []).every((name) => Object.hasOwn(value, name))
  );
}
