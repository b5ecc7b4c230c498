// Converts our reading of a command line to a form that can be compared with the oracles.
import { parseCommandLine } from "../../../functions/command-risk/command-line.ts";
import { innerScripts } from "../../../functions/command-risk/inner-scripts.ts";
import { invocationsOf } from "../../../functions/command-risk/invocation.ts";
import type { Word } from "../../../functions/command-risk/shell-word.ts";
import type { SimpleCommand } from "../../../functions/command-risk/simple-command.ts";

export interface SeenLine {
  /** true = the line was read to its end, and no program's name and no script is made up at run time. */
  isKnown: boolean;
  /** Each program with its arguments, including those in scripts inside. */
  programs: Word[][];
  commands: SimpleCommand[];
}

export function seenIn(line: string, depth = 0): SeenLine {
  const { ok, commands } = parseCommandLine(line);
  const seen: SeenLine = { isKnown: ok && depth < 6, programs: [], commands };
  for (const command of commands) {
    seen.programs.push(command.words);
    for (const call of invocationsOf(command)) {
      const name = command.words.find(({ text }) => text === call.written);
      seen.programs.push(name ? [name, ...call.args] : [...call.args]);
      const inner = innerScripts(call);
      if (call.unknown || inner.hidden !== undefined) seen.isKnown = false;
      for (const script of depth < 6 ? inner.scripts : []) {
        const below = seenIn(script, depth + 1);
        seen.isKnown &&= below.isKnown;
        seen.programs.push(...below.programs);
      }
    }
  }
  return seen;
}

/** Whether `words` can become `texts`. An unknown word can become any number of texts. */
export function canBecome(words: readonly Word[], texts: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (!word) return texts.length === 0;
  if (!word.unknown && !word.pattern) return word.text === texts[0] && canBecome(rest, texts.slice(1));
  return texts.some((_, at) => canBecome(rest, texts.slice(at))) || canBecome(rest, []);
}
