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
    return {
      ok: false,
      problem: `error: the arguments of \`${name}\` are not valid JSON; call it again with one JSON object`,
    };
  }
}
