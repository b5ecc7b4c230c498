// Compares the answer that a page shows with the one received. Placeholders: `<any>` matches anything; any
// other `<name>` must match the same text everywhere.
import { isRecord } from "../../shared/is-record.ts";

/** The values of the names on a page. */
export type Names = Map<string, string>;

const whole = /^<([a-z][\w-]*)>$/;

/** `text` with the known names filled in. Throws for an unknown one. */
export function fill(text: string, names: Names): string {
  return text.replace(/<([a-z][\w-]*)>/g, (_, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new Error(`<${name}> has not come up before`);
    return value;
  });
}

/**
 * The difference, with its place; undefined if `actual` is as shown. Objects may have more fields than shown.
 * Lists may not have more entries, unless their last entry is "…". `…` in a text matches any text.
 */
export function difference(shown: unknown, actual: unknown, names: Names, at = "body"): string | undefined {
  if (typeof shown === "string") return textDifference(shown, actual, names, at);
  if (Array.isArray(shown)) return listDifference(shown, actual, names, at);
  if (isRecord(shown)) {
    if (!isRecord(actual)) return `${at}: ${JSON.stringify(actual)} is no object`;
    return firstOf(
      Object.entries(shown).map(
        ([key, value]) =>
          () =>
            difference(value, actual[key], names, `${at}.${key}`),
      ),
    );
  }
  return shown === actual
    ? undefined
    : `${at}: ${JSON.stringify(actual)} instead of ${JSON.stringify(shown)}`;
}

function textDifference(shown: string, actual: unknown, names: Names, at: string): string | undefined {
  const name = whole.exec(shown)?.[1];
  if (name === "any") return actual === undefined ? `${at}: missing` : undefined;
  if (name !== undefined && !names.has(name)) {
    if (actual === undefined) return `${at}: missing`;
    names.set(name, typeof actual === "string" ? actual : JSON.stringify(actual));
    return undefined;
  }
  const text = typeof actual === "string" ? actual : JSON.stringify(actual);
  const parts = shown.split(/(…|<any>|<[a-z][\w-]*>)/).map((part) => {
    if (part === "…" || part === "<any>") return "[\\s\\S]*";
    const value = part.startsWith("<") ? names.get(part.slice(1, -1)) : undefined;
    return (value ?? part).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  if (new RegExp(`^${parts.join("")}$`).test(text ?? "")) return undefined;
  return `${at}: ${JSON.stringify(actual)} instead of ${JSON.stringify(shown)}`;
}

function listDifference(
  shown: readonly unknown[],
  actual: unknown,
  names: Names,
  at: string,
): string | undefined {
  if (!Array.isArray(actual)) return `${at}: ${JSON.stringify(actual)} is no list`;
  const open = shown.at(-1) === "…";
  const entries = open ? shown.slice(0, -1) : shown;
  if (!open && actual.length !== entries.length)
    return `${at}: ${actual.length} entries instead of ${entries.length}`;
  return firstOf(
    entries.map((entry, index) => () => difference(entry, actual[index], names, `${at}[${index}]`)),
  );
}

/**
 * Like `difference`, for events and lines in order. "…" among `shown` matches any number of them. Entries
 * that `mayStandBetween` accepts need not be shown.
 */
export function sequenceDifference(
  shown: readonly unknown[],
  actual: readonly unknown[],
  names: Names,
  mayStandBetween: (entry: unknown) => boolean,
): string | undefined {
  let next = 0;
  let skipping = false;
  for (const entry of shown) {
    if (entry === "…") {
      skipping = true;
      continue;
    }
    let problem: string | undefined = "nothing more came";
    for (; next < actual.length; next += 1) {
      const trial = new Map(names);
      problem = difference(entry, actual[next], trial, `[${next}]`);
      if (problem === undefined) {
        for (const [name, value] of trial) names.set(name, value);
        break;
      }
      if (!skipping && !mayStandBetween(actual[next])) break;
    }
    if (problem !== undefined) return `${JSON.stringify(entry)} did not come: ${problem}`;
    next += 1;
    skipping = false;
  }
  const more = skipping ? undefined : actual.slice(next).find((entry) => !mayStandBetween(entry));
  return more === undefined ? undefined : `not shown: ${JSON.stringify(more)}`;
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
