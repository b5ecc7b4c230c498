// What the engine's finish summary says in a line or two. Pure; of a text in another form it takes the first line.
import type { FileCount } from "../../shared/session/session-state.ts";

export interface FinishFacts {
  goal: string;
  /** "4 of 4 steps", "3 of 3 checks passed". */
  facts: string[];
  files: Record<string, FileCount>;
}

export function finishFacts(text: string): FinishFacts {
  const [first = ""] = text.split("\n", 1);
  const steps = /^Steps: (\d+ of \d+)$/m.exec(text)?.[1];
  const checks = /^Checks: (\d+ of \d+) passed$/m.exec(text)?.[1];
  const files: Record<string, FileCount> = {};
  for (const [, path = "", added, removed] of text.matchAll(/^- (.+) \+(\d+) -(\d+)$/gm))
    files[path] = { added: Number(added), removed: Number(removed) };
  return {
    goal: first.replace(/^Finished: /, ""),
    facts: [
      ...(steps === undefined ? [] : [`${steps} steps`]),
      ...(checks === undefined ? [] : [`${checks} checks passed`]),
    ],
    files,
  };
}
