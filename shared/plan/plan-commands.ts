// The commands of a plan, which the engine runs automatically, and invisible characters in them. A person approves only
// what they can see.
import { hiddenIn } from "../visible-text.ts";
import type { PlanBody } from "./plan-file.ts";

/** More names would not be read; the first one already says what is wrong. */
const maxNames = 3;

interface WithCommands {
  steps: readonly Pick<PlanBody["steps"][number], "id" | "checkpoint">[];
  checkpoints: PlanBody["checkpoints"];
}

interface PlanCommand {
  /** Where the command is, in words that follow "the": "check of step s2". */
  where: string;
  command: string;
}

/** Every command that the engine would run for this plan, in order. */
export function planCommandsOf({ steps, checkpoints }: WithCommands): PlanCommand[] {
  return [
    ...steps.flatMap(({ id, checkpoint }) =>
      checkpoint === null ? [] : [{ where: `check of step ${id}`, command: checkpoint.command }],
    ),
    ...checkpoints.flatMap((checkpoint, index) =>
      typeof checkpoint === "string"
        ? []
        : [{ where: `plan's checkpoint ${index + 1}`, command: checkpoint.command }],
    ),
  ];
}

/**
 * Describes the invisible characters of the first command in `commands` that has some, for its author; undefined = none
 * has.
 */
export function hiddenCommandProblem(commands: readonly PlanCommand[]): string | undefined {
  for (const { where, command } of commands) {
    const hidden = hiddenIn(command);
    if (hidden.length === 0) continue;
    const more = hidden.length > maxNames ? ` and ${hidden.length - maxNames} more` : "";
    return `the command of the ${where} holds ${hidden.slice(0, maxNames).join(", ")}${more}: not all that would run can be seen by the person who approves it. Write it with visible characters only; where another is needed, as an escape such as \\u202e`;
  }
  return undefined;
}
