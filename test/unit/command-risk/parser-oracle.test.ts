// Compares our parser with another parser of bash, unbash (ISC): ours must find everything that unbash finds
// in a line. unbash does not tell what `eval`, `sh -c`, wrappers or options run, nor what variables contain.
// Another test asks bash itself about these.
import fc from "fast-check";
import { parse } from "unbash";
import { expect, test } from "vitest";
import { parseCommandLine } from "../../../functions/command-risk/command-line.ts";
import { invocationsOf } from "../../../functions/command-risk/invocation.ts";
import { isObject } from "../../../shared/is-record.ts";
import { runs } from "../../harness/runs.ts";
import { listedLines } from "./command-lines.ts";
import { type canBecome, seenIn } from "./seen-programs.ts";
import { shellLine } from "./shell-lines.ts";

interface Found {
  /** `undefined` stands for a word that is known only at run time. */
  commands: (string | undefined)[][];
  /** Files that are the target of a redirection. */
  targets: string[];
}

const dynamic =
  /"type":"(SimpleExpansion|ParameterExpansion|CommandExpansion|ArithmeticExpansion|ProcessSubstitution|BraceExpansion|Glob|ExtendedGlob)"/;

/** Every simple command and redirection in the tree, scripts in substitutions and here-documents included. */
function foundIn(node: unknown, into: Found): Found {
  if (Array.isArray(node)) for (const inner of node) foundIn(inner, into);
  else if (isObject(node)) {
    const { type, name, suffix, operator, target } = node;
    if (type === "Command" && name) {
      const words = [name, ...(Array.isArray(suffix) ? suffix : [])].filter(
        (part: { type?: string }) => part.type === "Word" || part.type === "Assignment",
      );
      into.commands.push(words.map(textOf));
    }
    if (type === "Redirect" && typeof operator === "string" && operator.includes(">") && target) {
      const text = textOf(target);
      if (text !== undefined && !/^[\d-]+$/.test(text)) into.targets.push(text);
    }
    // unbash's lazy views repeat what `prefix` and `suffix` contain.
    for (const [key, inner] of Object.entries(node))
      if (!/^(args|redirects|parent)$/.test(key)) foundIn(inner, into);
    if ("parts" in node && !Object.hasOwn(node, "parts")) foundIn(node.parts, into);
    if ("script" in node && !Object.hasOwn(node, "script")) foundIn(node.script, into);
  }
  return into;
}

function textOf(word: unknown): string | undefined {
  const { type, value, text, parts } = word as {
    type: string;
    value: unknown;
    text: string;
    parts?: unknown;
  };
  if (type === "Assignment")
    return dynamic.test(JSON.stringify(word)) || text.includes("$") || text.includes("`")
      ? undefined
      : text.replaceAll(/['"\\]/g, "");
  if (parts !== undefined && dynamic.test(JSON.stringify(parts))) return undefined;
  return /[*?[{~!+@]/.test(text) ? undefined : String(value);
}

/** Commands and files that unbash finds and we do not. */
function missed(line: string): string[] {
  const tree = parse(line);
  if (hasErrors(tree)) return [];
  const found = foundIn(JSON.parse(JSON.stringify(tree)), { commands: [], targets: [] });
  const seen = seenIn(line);
  if (!seen.isKnown) return [];
  const words = seen.programs;
  const commands = found.commands.filter(
    (command) => !words.some((own) => own.some((_, at) => fits(own.slice(at), command))),
  );
  const targets = found.targets.filter(
    (target) =>
      !seen.commands.some(({ redirects }) =>
        redirects.some(({ to, target: own }) => to && own.text === target),
      ),
  );
  return [...commands.map((command) => command.join(" ")), ...targets.map((target) => `> ${target}`)];
}

/** Whether the line, or a substitution in it, is not valid bash. */
function hasErrors(tree: unknown): boolean {
  return JSON.stringify(tree).includes('"errors":[{');
}

/** Programs that our parser finds in the line and unbash does not. */
function invented(line: string): string[] {
  const tree = parse(line);
  if (hasErrors(tree)) return [];
  const found = foundIn(JSON.parse(JSON.stringify(tree)), { commands: [], targets: [] });
  const { commands, ok } = parseCommandLine(line);
  const own = ok ? commands.flatMap((command) => invocationsOf(command)) : [];
  return own.flatMap(({ written, unknown, args, command }) => {
    const name = command.words.find(({ text }) => text === written);
    const isKnown =
      unknown ||
      !name ||
      !/^p\d$/.test(written) ||
      found.commands.some((other) => fits([name, ...args], other));
    return isKnown ? [] : [[written, ...args.map(({ text }) => text)].join(" ")];
  });
}

function fits(own: Parameters<typeof canBecome>[0], command: readonly (string | undefined)[]): boolean {
  return (
    own.length === command.length &&
    command.every(
      (text, at) => text === undefined || own[at]?.unknown || own[at]?.pattern || own[at]?.text === text,
    )
  );
}

test("every listed line is read as unbash reads it", () => {
  const lines = [...listedLines("everyday"), ...listedLines("hostile")].map(({ line }) => line);
  expect(lines.flatMap((line) => missed(line).map((text) => `${line} => ${text}`))).toEqual([]);
});

/**
 * A case that the test below once found: quotes and brackets in a comment within a substitution do not count.
 */
const commentInside = `p1 "$( f() { # it's a "note $(p9\np1 '('\n}; if p1; then p1 \\' ; fi\n)" ; p2 ")"a`;
/**
 * Nor does a quote in a here-document: the words after the substitution belong to the surrounding command.
 */
const quoteInDocument = "( g() { p1 $( p2 <<E\ntext $( p3\n) 'it\nE\n: ; p4\n) \"\"\n}; g ; p5 \\'\n)";

test("lines made by a grammar are read as unbash reads them, no command more and none less", {
  tags: "random",
}, () => {
  fc.assert(
    fc.property(shellLine(), (line) => {
      expect(missed(line)).toEqual([]);
      expect(invented(line)).toEqual([]);
    }),
    {
      examples: [[commentInside], [quoteInDocument]],
      numRuns: runs(Number(process.env.HANDRAIL_SHELL_LINES ?? 1_000), 100),
    },
  );
});
