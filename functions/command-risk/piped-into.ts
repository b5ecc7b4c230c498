// Finds the program that determines the exit code of a command line.
import { parseCommandLine } from "./command-line.ts";

/**
 * The programs into which a command pipes, unless it sets `pipefail` itself. If every `head` only shortens its input,
 * each is returned as `head -`.
 */
export function pipedInto(command: string): string[] {
  if (/\bpipefail\b/.test(command)) return [];
  // Output that is written to `>(…)` goes into a pipe, but that does not determine the exit code.
  const { commands } = parseCommandLine(command.replaceAll(">(", "<("));
  const heads = commands.filter(({ words }) => words[0]?.text === "head");
  const plain = heads.every(({ upstream, words: [, ...args] }) => {
    // An endless output must be cut off.
    const endless = upstream?.words.some(({ text }) => /^(yes|\/dev\/.*)$/.test(text));
    return upstream && !endless && args.every(({ text }) => /^(-\S*|\d+)$/.test(text));
  });
  return commands.flatMap(({ upstream, words }) => {
    const program = words[0]?.text ?? "";
    return upstream === undefined ? [] : program === "head" && plain ? "head -" : program;
  });
}
