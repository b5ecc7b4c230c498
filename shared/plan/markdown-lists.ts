// Renders and parses the checkpoints and the rollback of a plan: `- text` and `- check: command` (PROTOCOL 7).
import { checkHead, markedTimeout, timeMark } from "./check-time.ts";
import { CommandReader, commandLines } from "./markdown-command.ts";
import type { PlanCheckpoint } from "./plan-file.ts";
import { escapeMark, indentOf, LineProblem, type SourceLine, unescapeMark } from "./plan-lines.ts";

const bulletLine = /^\s*(?:[-*+]|\d{1,6}[.)])\s+(.*)$/;

export function renderCheckpoints(checkpoints: readonly PlanCheckpoint[]): string[] {
  return checkpoints.flatMap((checkpoint) => {
    if (typeof checkpoint === "string") return [`- ${escapeMark(checkpoint, checkHead)}`];
    return commandLines(`- check${timeMark(checkpoint)}: `, checkpoint.command, 2);
  });
}

export function renderRollback(rollback: readonly string[]): string[] {
  return rollback.map((text) => `- ${text}`);
}

/** Throws LineProblem. */
export function parseCheckpoints(lines: readonly SourceLine[]): PlanCheckpoint[] {
  const found: (string | { reader: CommandReader; time: { timeoutMs?: number } })[] = [];
  let reader: CommandReader | undefined;
  for (const line of lines) {
    if (reader?.take(line.text)) continue;
    reader = undefined;
    const text = bulletText(line);
    if (text === undefined) continue;
    const check = checkHead.exec(text);
    if (!check) found.push(unescapeMark(text, checkHead));
    else {
      const command = text.slice(check[0].length).trim();
      if (command === "") throw new LineProblem(line.number, "nothing follows `- check:`");
      reader = new CommandReader(command, indentOf(line.text));
      found.push({ reader, time: markedTimeout(check[1]) });
    }
  }
  return found.map((entry) =>
    typeof entry === "string" ? entry : { command: entry.reader.command, ...entry.time },
  );
}

/** Throws LineProblem. */
export function parseRollback(lines: readonly SourceLine[]): string[] {
  return lines.map(bulletText).filter((text) => text !== undefined);
}

function bulletText(line: SourceLine): string | undefined {
  if (line.text.trim() === "") return undefined;
  const text = bulletLine.exec(line.text)?.[1]?.trim();
  if (text === undefined || text === "")
    throw new LineProblem(line.number, "expected a line such as `- text`");
  return text;
}
