// The body of a fence → the call that it is, if it is one. Everything else is prose.
import { isRecord } from "../../../shared/is-record.ts";
import type { AssembledCall } from "../call-assembly.ts";
import { type JsonRecord, parseRecord, stringOrEmpty } from "../json-value.ts";
import { type CallDiagnostic, repairArguments, writers } from "../repair.ts";
import { plain, toolMeanings } from "./aliases.ts";

export interface FenceCall {
  call: AssembledCall;
  diagnostics: CallDiagnostic[];
}

/**
 * A call if the body is an object with exactly `tool` (known) and `args`. A broken object that begins like one is also a
 * call, with its raw arguments, so that the model is told the error.
 */
export function parseFence(body: string, known: ReadonlySet<string>, marked = false): FenceCall | undefined {
  const strict = parseRecord(body);
  if (strict !== undefined) return fromRecord(strict, known, [], marked);
  const begun = /^\s*\{\s*["']tool["']\s*:\s*["'](\w+)["']\s*,\s*["']args["']\s*:([\s\S]*)$/.exec(body);
  if (begun?.[1] === undefined || !known.has(begun[1])) return undefined;
  // Several objects in one fence are not one broken object.
  if (/\}\s*,?\s*\{\s*["'](?:tool|name)["']\s*:/.test(body)) return undefined;
  const repaired = repairArguments(body, writers.has(begun[1]));
  const record = repaired === undefined ? undefined : parseRecord(repaired.text);
  if (record !== undefined)
    return fromRecord(record, known, [{ kind: repaired?.kind ?? "arguments", repaired: true }]);
  const raw = (begun[2] ?? "").trim().replace(/\}$/, "").trim();
  return { call: { id: "", name: begun[1], arguments: raw === "" ? "{" : raw }, diagnostics: [] };
}

function fromRecord(
  record: JsonRecord,
  known: ReadonlySet<string>,
  diagnostics: CallDiagnostic[],
  marked = false,
): FenceCall | undefined {
  const name = stringOrEmpty(record.tool);
  // Another agent's name for a tool of ours is replaced where calls are mended. Only a fence called `tool` is for calls alone.
  const meaning = marked ? toolMeanings.get(plain(name)) : undefined;
  const isTool = known.has(name) || (meaning !== undefined && "tool" in meaning);
  if (!isTool || Object.keys(record).length !== 2 || !isRecord(record.args)) return undefined;
  return { call: { id: "", name, arguments: JSON.stringify(record.args) }, diagnostics };
}
