// Where the exit code of a command line comes from.
import { parseCommandLine } from "./command-line.ts";

/** The programs that a command pipes into, unless it sets `pipefail` itself. A `head` of its input alone is named so. */
export function pipedInto(command: string): string[] {
  if (/\bpipefail\b/.test(command)) return [];
  // What is written to `>(…)` is read as a pipe, and does not set the exit code.
  const { commands } = parseCommandLine(command.replaceAll(">(", "<("));
  const heads = commands.filter(({ words }) => words[0]?.text === "head");
  const plain = heads.every(({ upstream, words: [, ...args] }) => {
    // An endless output has to be cut off.
    const endless = upstream?.words.some(({ text }) => /^(yes|\/dev\/.*)$/.test(text));
    return upstream && !endless && args.every(({ text }) => /^(-\S*|\d+)$/.test(text));
  });
  return commands.flatMap(({ upstream, words }) => {
    const program = words[0]?.text ?? "";
    return upstream === undefined ? [] : program === "head" && plain ? "head -" : program;
  });
}
