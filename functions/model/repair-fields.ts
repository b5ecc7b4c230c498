// Arguments in another form than their schema has, where only one thing can be meant: `file_path` for `path`, "3" for 3.
import { isRecord } from "../../shared/is-record.ts";
import { type JsonRecord, parseJson } from "./json-value.ts";

/** Names that other agents' tools have, and models keep. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  path: ["file_path", "filepath", "filePath", "filename", "file"],
  content: ["file_text", "contents"],
  command: ["cmd"],
  pattern: ["query", "regexp"],
};

/** `args` as the JSON schema `parameters` has them; undefined where nothing was to be changed. */
export function repairFields(args: JsonRecord, parameters: JsonRecord | undefined): JsonRecord | undefined {
  const properties = isRecord(parameters?.properties) ? parameters.properties : {};
  const repaired = { ...args };
  let changed = false;
  for (const [name, schema] of Object.entries(properties)) {
    const other =
      name in repaired ? undefined : otherNames[name]?.find((one) => one in repaired && !(one in properties));
    if (other !== undefined) {
      repaired[name] = repaired[other];
      delete repaired[other];
      changed = true;
    }
    const value = repaired[name];
    const meant = isRecord(schema) && typeof value === "string" ? meantBy(value, schema.type) : undefined;
    if (meant === undefined) continue;
    repaired[name] = meant;
    changed = true;
  }
  return changed ? repaired : undefined;
}

/** What `text` says as a value of `type`; undefined where it says none, or text is what is asked for. */
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
