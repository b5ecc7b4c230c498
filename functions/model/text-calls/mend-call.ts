// Converts a call with other names, or arguments in another form, into one of ours. Loaded with the first malformed call.
import { isRecord } from "../../../shared/is-record.ts";
import type { AssembledCall } from "../call-assembly.ts";
import { type JsonRecord, parseRecord } from "../json-value.ts";
import { readLoose } from "./loose-json.ts";
import { fits, meantArguments } from "./meant-arguments.ts";
import { meantTypes } from "./meant-types.ts";
import { namedCall } from "./written-call.ts";

/** A complete object that is not valid JSON. */
function looseRecord(text: string): JsonRecord | undefined {
  const read = readLoose(text);
  return read.ok && isRecord(read.value) && text.slice(read.end).trim() === "" ? read.value : undefined;
}

/**
 * `call` under our names and with our arguments, as far as one thing can be meant; undefined if nothing was to change.
 */
export function mendCall(
  call: AssembledCall,
  known: ReadonlySet<string>,
  parameters: JsonRecord | undefined,
): AssembledCall | undefined {
  const strict = parseRecord(call.arguments);
  const args = strict ?? looseRecord(call.arguments);
  if (args === undefined) return undefined;
  if (!known.has(call.name)) {
    const meant = namedCall(call.name, args, known);
    return meant?.kind === "call" && fits(meant.tool, meant.args)
      ? { ...call, name: meant.tool, arguments: JSON.stringify(meant.args) }
      : undefined;
  }
  const meant = meantArguments(call.name, meantTypes(args, parameters));
  const text = JSON.stringify(meant);
  return strict !== undefined && text === JSON.stringify(strict) ? undefined : { ...call, arguments: text };
}
