// The arguments of a call as the model wrote them: JSON text, possibly empty, broken or nested without end.
import { isDeeperThan } from "../../shared/json-depth.ts";
import { limits } from "../limits.ts";

/** Arguments of a model as a value; an empty text is an empty object. What is wrong with others: `unparsed` of wrong-arguments.ts. */
export function parseArguments(json: string): { ok: true; value: unknown } | { ok: false } {
  if (json.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(json);
    return isDeeperThan(value, limits.jsonDepth) ? { ok: false } : { ok: true, value };
  } catch {
    return { ok: false };
  }
}
