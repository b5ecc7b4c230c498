// Part of `npm run check`: keeps functions short. It counts the lines between the braces of every function, method and
// arrow function outside tests; arrow functions without braces are not counted.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { isObject, isRecord } from "../shared/is-record.ts";
import { root } from "./build.ts";

/** The share of functions that may be longer than `longLines`. Most of them are components of the phone. */
const maxShare = 0.02;
const longLines = 50;
const folders = ["functions", "sandbox", "pwa", "shared", "demo", "scripts"];
const functionTypes: ReadonlySet<unknown> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

/** Offsets of the braces of each function in a syntax tree of Rolldown's parser. */
function* bodiesIn(node: unknown): Generator<{ start: number; end: number }> {
  if (!isObject(node)) return;
  const { type, body } = node;
  if (functionTypes.has(type) && isRecord(body) && body.type === "BlockStatement")
    yield { start: Number(body.start), end: Number(body.end) };
  for (const child of Object.values(node)) yield* bodiesIn(child);
}

/** The length in lines of each function's body, and where it begins. */
function lengthsIn(path: string): { lines: number; at: string }[] {
  const source = readFileSync(join(root, path), "utf8");
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length;
  const tree = parseAst(source, { lang: path.endsWith("x") ? "tsx" : "ts" });
  return [...bodiesIn(tree)].map(({ start, end }) => ({
    lines: lineOf(end) - lineOf(start) - 1,
    at: `${path}:${lineOf(start)}`,
  }));
}

function sources(): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
      .map((name) => join(folder, name)),
  );
}

const lengths = sources().flatMap(lengthsIn);
const long = lengths.filter(({ lines }) => lines > longLines).sort((a, b) => b.lines - a.lines);
for (const { lines, at } of long) console.log(`${lines} lines: ${at}`);
const percent = ((100 * long.length) / lengths.length).toFixed(2);
console.log(`${long.length} of ${lengths.length} functions (${percent} %) are over ${longLines} lines`);
process.exit(long.length > lengths.length * maxShare ? 1 : 0);
