// Splits a command line into the simple commands that it may run. It runs nothing itself.
import { CommandLineReader } from "./command-line-reader.ts";
import { substitutionsIn, type Word } from "./shell-word.ts";
import type { SimpleCommand } from "./simple-command.ts";

export interface ParsedCommandLine {
  /** false = quoting does not close, or substitutions are nested too deeply: the caller must assume the worst. */
  ok: boolean;
  /** In order, including those inside substitutions and groups. */
  commands: SimpleCommand[];
}

/** Command lines that people write nest less deeply, and each level is parsed again. */
const maxDepth = 8;

export function parseCommandLine(source: string, depth = 0): ParsedCommandLine {
  if (depth > maxDepth) return { ok: false, commands: [] };
  const reader = new CommandLineReader(source);
  // The shell joins such lines before it parses them: `<\⏎<E` begins a here-document, `$\⏎(x)` a substitution.
  const joined = /[<>$({]\\\n/.test(source);
  const isRead = reader.readAll();
  // The parenthesis of a `case` pattern would close a substitution too early, and the commands after it would count as
  // arguments.
  const code = source.replaceAll(/<<-?\s*(['"])(\w+)\1[^\n]*\n[\s\S]*?\n\s*\2(?=\n|$)/g, "");
  const cases = depth > 0 ? (code.match(/[\s;&|({!]case\s[^\n;]*\sin\b/g)?.length ?? 0) : 0;
  // The same is true of a parenthesis in an expression: `$( [[ x =~ ([)]) ]] … )`.
  const isCut = depth > 0 && /\[\[\s[^\n]*=~(?![\s\S]*\]\])/.test(source);
  const closes = isRead && !joined && !isCut && reader.casesRead >= cases;
  // The shell evaluates a variable's text too: `x='a[$(rm y)]'; echo $((x))`.
  const calculated = reader.commands.flatMap(({ words }) => words.flatMap(subscripts));
  const nested = [...reader.scripts, ...calculated].map((script) => parseCommandLine(script, depth + 1));
  const commands = [...reader.commands, ...nested.flatMap((inner) => inner.commands)];
  if (depth === 0) {
    const variables = variablesOf(commands);
    for (const command of commands) command.variables = variables;
  }
  return { ok: closes && nested.every(({ ok }) => ok), commands };
}

function subscripts({ text }: Word): string[] {
  return /^\w+\+?=[^\0]*\[/.test(text) ? substitutionsIn(text) : [];
}

/** Every `NAME=value` and `for NAME in words` of the commands. */
function variablesOf(commands: readonly SimpleCommand[]): Map<string, Word[]> {
  const found = new Map<string, Word[]>();
  const add = (name: string, values: readonly Word[]) => {
    const known = found.get(name) ?? [];
    for (const value of values) known.push(value);
    found.set(name, known);
  };
  for (const { words } of commands) {
    const texts = words.map(({ text }) => text);
    const loop = texts.findIndex((text, at) => /^(for|select)$/.test(text) && texts[at + 2] === "in");
    if (loop >= 0) add(texts[loop + 1] ?? "", words.slice(loop + 3));
    for (const word of words) {
      const [whole = "", name = ""] = /^([A-Za-z_]\w*)=/.exec(word.text) ?? [];
      if (whole !== "") add(name, [{ ...word, text: word.text.slice(whole.length) }]);
    }
  }
  return found;
}
