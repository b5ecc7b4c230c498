// The arguments of a call as the model wrote them: JSON text, possibly empty, broken or nested without end.
import { isDeeperThan } from "../../shared/json-depth.ts";
import { limits } from "../limits.ts";

/** Arguments of a model as a value; an empty text is an empty object. `problem` is what the model reads. */
export function parseArguments(
  name: string,
  json: string,
): { ok: true; value: unknown } | { ok: false; problem: string } {
  if (json.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(json);
    if (!isDeeperThan(value, limits.jsonDepth)) return { ok: true, value };
    return {
      ok: false,
      problem: `error: the arguments of \`${name}\` are nested deeper than ${limits.jsonDepth} levels; call it again, flatter`,
    };
  } catch {
    const problem = isCut(json)
      ? `error: the answer was cut before this call of \`${name}\` was complete, so it did not run; call it again, in smaller parts if it is long`
      : `error: the arguments of \`${name}\` are not valid JSON; call it again with one JSON object`;
    return { ok: false, problem };
  }
}

/** Whether a JSON text ends inside a string, a list or an object. */
function isCut(json: string): boolean {
  const outside = json.replace(/"(?:[^"\\]|\\.)*"/gs, "");
  if (outside.includes('"')) return true;
  const opened = outside.match(/[{[]/g)?.length ?? 0;
  return opened > (outside.match(/[}\]]/g)?.length ?? 0);
}
