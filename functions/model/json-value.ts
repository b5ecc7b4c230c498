// Narrowing of JSON that came from a provider. Schemas would cost more than the parsing itself, once per token.
import { isRecord } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import * as limits from "../limits.ts";

export type JsonRecord = Record<string, unknown>;

/** `value` as a string; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Text too short to nest so deep that walking through it overflows a stack: most often a chunk of a stream. */
const shallowChars = 2_000;

/** JSON text as a value; undefined if it is none, or a long one nested deeper than anything here is. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return text.length > shallowChars && isDeeperThan(value, limits.jsonDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** JSON text as an object, or undefined if `parseJson` reads none. */
export function parseRecord(text: string): JsonRecord | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}
