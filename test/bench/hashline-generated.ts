// Generates source code line by line: functions with braces, blank lines, identical returns and copies.
import type { Random } from "./hashline-random.ts";

const nouns = [
  "user",
  "row",
  "total",
  "next",
  "item",
  "path",
  "token",
  "page",
  "limit",
  "entry",
  "result",
  "key",
];
const verbs = ["read", "write", "parse", "find", "merge", "count", "render", "close", "split", "check"];
const types = ["string", "number", "boolean", "Entry", "Page", "readonly string[]"];

/** The lines of a file of 80 to about 160 lines. */
export function generatedSource(random: Random): string[] {
  const lines = [
    ...Array.from(
      { length: 1 + random.below(4) },
      () => `import { ${verb(random)} } from "./${noun(random)}.ts";`,
    ),
    "",
  ];
  const functions: string[][] = [];
  while (lines.length < 80 + random.below(60)) {
    const copied = functions.length > 1 && random.chance(0.08) ? random.pick(functions) : undefined;
    const made = copied ?? functionOf(random);
    functions.push(made);
    lines.push(...made, "");
  }
  return lines.slice(0, -1);
}

function noun(random: Random): string {
  const word = random.pick(nouns);
  return random.chance(0.5) ? word : `${word}${capital(random.pick(nouns))}`;
}

function verb(random: Random): string {
  return `${random.pick(verbs)}${capital(noun(random))}`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function functionOf(random: Random): string[] {
  const [name, argument] = [verb(random), noun(random)];
  const head = `export function ${name}(${argument}: ${random.pick(types)}): ${random.pick(types)} {`;
  const doc = random.chance(0.4) ? [`/** The ${noun(random)} of one ${noun(random)}. */`] : [];
  const last = random.chance(0.3) ? "  return null;" : `  return ${noun(random)};`;
  return [...doc, head, ...body(random, "  ", 1 + random.below(5)), last, "}"];
}

function body(random: Random, indent: string, count: number): string[] {
  return Array.from({ length: count }, () => statement(random, indent)).flat();
}

function statement(random: Random, indent: string): string[] {
  const [one, other] = [noun(random), noun(random)];
  const inner = (): string[] => body(random, `${indent}  `, 1 + random.below(2));
  switch (random.below(indent.length > 4 ? 4 : 8)) {
    case 0:
      return [`${indent}const ${one} = ${verb(random)}(${other});`];
    case 1:
      return [`${indent}${one}.push(${other});`];
    case 2:
      return [`${indent}${random.pick(["return null;", "continue;", "return;", "break;", "return false;"])}`];
    case 3:
      return [`${indent}if (!${one}) return ${random.pick(["null", "[]", "false"])};`];
    case 4:
      return [`${indent}if (${one} === ${other}) {`, ...inner(), `${indent}}`];
    case 5:
      return [`${indent}for (const ${one} of ${other}) {`, ...inner(), `${indent}}`];
    case 6:
      return [`${indent}try {`, ...inner(), `${indent}} catch {`, ...inner(), `${indent}}`];
    default:
      return ["", `${indent}let ${one} = ${random.below(100)};`];
  }
}
