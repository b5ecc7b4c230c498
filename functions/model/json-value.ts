// Narrows JSON from a provider without schemas, because for each token a schema would cost more than the parsing.
import { isRecord } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import * as limits from "../limits.ts";

export type JsonRecord = Record<string, unknown>;

/** `value` as a string; "" for anything else. */
export function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * A shorter text cannot be nested deeply enough to overflow the stack of a recursive function. Most chunks of a stream
 * are shorter.
 */
const shallowChars = 2_000;

/** The value of a JSON text; undefined if it is invalid, or if it is long and nested deeper than the limit. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return text.length > shallowChars && isDeeperThan(value, limits.jsonDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The object in a JSON text; undefined if it is not an object or `parseJson` cannot read it. */
export function parseRecord(text: string): JsonRecord | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}
