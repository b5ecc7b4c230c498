// Names and values in another form than an argument has: "3" for 3, one string for a list of lines, a version as its header has it.
import { type JsonRecord, parseJson } from "../json-value.ts";
import { plain } from "./aliases.ts";

const numbers: ReadonlySet<string> = new Set(["start", "end", "depth", "context", "timeoutMs"]);
const flags: ReadonlySet<string> = new Set(["regex", "all", "background"]);

export function meantValue(key: string, value: unknown): unknown {
  if (typeof value === "string") {
    const bare = value.trim();
    if (numbers.has(key) && /^-?\d+$/.test(bare)) return Number(bare);
    if (flags.has(key) && /^(true|false)$/i.test(bare)) return bare.toLowerCase() === "true";
    if (key === "path") return meantPath(value);
    return value;
  }
  if (typeof value === "number") {
    if (numbers.has(key) && !Number.isInteger(value)) return Math.round(value);
    if (key === "pattern" || key === "content") return String(value);
  }
  return value;
}

/** One string for `lines` is its lines. */
export function meantLines(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const listed = /^\s*\[[\s\S]*\]\s*$/.test(value) ? parseJson(value) : undefined;
  if (Array.isArray(listed) && listed.every((line) => typeof line === "string")) return listed;
  return value.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** The path without quotes, backticks or the scheme of an address. */
function meantPath(path: string): string {
  return path
    .trim()
    .replace(/^(["'`])(.*)\1$/, "$2")
    .replace(/^file:\/\/(?=\/)/, "");
}

/** `args` with other names replaced by ours, unless ours is there too. */
export function withOwnNames(
  args: JsonRecord,
  others: Readonly<Record<string, readonly string[]>>,
  own: readonly string[],
): JsonRecord {
  const meant = { ...args };
  for (const [name, names] of Object.entries(others)) {
    const wanted = new Set([name, ...names].map(plain));
    const other =
      name in meant
        ? undefined
        : Object.keys(meant).find((key) => wanted.has(plain(key)) && !own.includes(key));
    if (other === undefined) continue;
    meant[name] = meant[other];
    delete meant[other];
  }
  return meant;
}
