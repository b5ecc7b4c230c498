// Parses the text of the finish report into facts.
import type { FileCount } from "../../shared/session/session-state.ts";

interface FinishFacts {
  goal: string;
  /** "3 of 4 steps, 1 skipped", "3 of 3 checks passed", "1 step". */
  facts: string[];
  /** Checks and steps that did not pass or were not finished, one line each. */
  open: string[];
  files: Record<string, FileCount>;
}

export function finishFacts(text: string): FinishFacts {
  const [first = ""] = text.split("\n", 1);
  const [, over, all, stepLines = ""] = /^Steps: (\d+) of (\d+)$\n?((?:\d+\. .*\n?)*)/m.exec(text) ?? [];
  const skipped = stepLines.match(/: skipped(?=;|$)/gm)?.length ?? 0;
  const [, checks, others = ""] = /^Checks: (\d+ of \d+) passed(.*)$/m.exec(text) ?? [];
  const listed = /^Checks: .*\n((?:- .*\n?)*)/m.exec(text)?.[1] ?? "";
  const failed = listed.split("\n").filter((line) => line !== "" && !line.endsWith(": passed"));
  const left = /^By the person's word\n- (.*)$/m.exec(text)?.[1];
  const files: Record<string, FileCount> = {};
  for (const [, path = "", added, removed] of text.matchAll(/^- (.+) \+(\d+) -(\d+)$/gm))
    files[path] = { added: Number(added), removed: Number(removed) };
  return {
    goal: first.replace(/^Finished: /, ""),
    facts: [
      ...(over === undefined
        ? []
        : [
            `${ofAll(`${Number(over) - skipped} of ${all}`, "step")}${skipped === 0 ? "" : `, ${skipped} skipped`}`,
          ]),
      ...(checks === undefined ? [] : [`${ofAll(checks, "check")} passed${others}`]),
    ],
    open: [
      ...(left === undefined ? [] : [`Marked as finished by you: ${left}`]),
      ...failed.map((line) =>
        line.includes(": could not be run: ")
          ? `Not run: ${line.slice(2)}`
          : `Did not pass: ${line.slice(2)}`,
      ),
    ],
    files,
  };
}

/** "3 of 4 steps"; for a single one "1 step". */
function ofAll(share: string, one: string): string {
  if (share === "1 of 1") return `1 ${one}`;
  return `${share} ${share.endsWith(" 1") ? one : `${one}s`}`;
}
