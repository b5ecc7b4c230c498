// The text of a plan without its goal, which is shown above it.

/**
 * The goal is the first line of a text without headings, or the lines below the heading "Goal". Without this it would
 * be shown twice.
 */
export function bodyWithoutGoal(markdown: string, goal: string): string {
  const lines = markdown.trimStart().split("\n");
  const headed = isGoalHeading(lines[0] ?? "") && !isGoalHeading(goal);
  let from = headed ? 1 : 0;
  while (lines[from]?.trim() === "") from += 1;
  let to = from;
  // A goal of several lines was joined into one.
  while (to < lines.length && words(lines.slice(from, to)) !== words([goal])) to += 1;
  if (words(lines.slice(from, to)) !== words([goal])) return markdown;
  return lines.slice(to).join("\n").trimStart();
}

function isGoalHeading(line: string): boolean {
  return /^#*\s*goal\s*:?\s*$/i.test(line);
}

function words(lines: readonly string[]): string {
  return lines
    .join(" ")
    .replace(/^[#\s\\]+/, "")
    .replace(/\s+/g, " ")
    .trim();
}
