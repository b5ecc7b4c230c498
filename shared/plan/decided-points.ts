// A plan's text for the model after decisions: answered points no longer read like open questions. The approved text
// and its hash do not change.
import { renderDecisionPoints } from "./markdown-questions.ts";
import type { DecisionPoint, Plan } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import type { Decision, Question } from "./question.ts";

const maxLabelWords = 4;

/** The label of a point that is a single line: its first words. */
export function lineLabel(line: string): string {
  return line.replace(/\?$/, "").split(/\s+/).slice(0, maxLabelWords).join(" ");
}

/** The plan's text with each decided point on one line: `1) **Store**, decided by the person: Cookies`. */
export function withDecided({
  markdown,
  decisionPoints,
  decisions,
}: Pick<Plan, "markdown" | "decisionPoints" | "decisions">): string {
  const decided = decisionPoints.map((point) => decisionOf(point, decisions));
  if (decided.every((decision) => decision === undefined)) return markdown;
  const section = (points: string[]) => `# Decision points\n\n${points.join("\n")}`;
  const whole = section(renderDecisionPoints(decisionPoints));
  if (markdown.includes(whole)) {
    const lines = decisionPoints.flatMap((point, index) => {
      const decision = decided[index];
      return decision ? [decidedLine(point, decision, index + 1)] : pointLines(decisionPoints, index);
    });
    return markdown.replace(whole, () => section(lines));
  }
  const lines = decisionPoints.flatMap((point, index) => {
    const decision = decided[index];
    return decision ? [decidedLine(point, decision, index + 1)] : [];
  });
  return [markdown, "", "Of its open points these are decided:", ...lines].join("\n");
}

function decisionOf(point: DecisionPoint, decisions: readonly Decision[]): Decision | undefined {
  if (typeof point === "string")
    return point.endsWith("?") ? decisions.find(({ label }) => label === lineLabel(point)) : undefined;
  return decisions.find((decision) => decides(decision, point));
}

/**
 * A generated id. Points and questions are numbered alike, so equal generated ids do not mean that they belong
 * together.
 */
const ownNumber = /^q\d+$/;

/** Whether the person's decision is about this point. */
export function decides(
  decision: Pick<Decision, "id" | "label">,
  point: Pick<Question, "id" | "label">,
): boolean {
  return sameWords(decision.label, point.label) || (decision.id === point.id && !ownNumber.test(point.id));
}

/** Whether two labels or prompts are equal, ignoring case and any punctuation or space at their ends. */
export function sameWords(a: string, b: string): boolean {
  return plainWords(a) === plainWords(b);
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s?:.]+$/, "")
    .trim();
}

function decidedLine(point: DecisionPoint, { answer }: Decision, number: number): string {
  const what = typeof point === "string" ? point : `**${point.label}**`;
  return `${number}) ${what.replace(/\?$/, "")}, decided by the person: ${oneLine(answer)}`;
}

/** The lines of one point, with its number among all points. */
function pointLines(points: readonly DecisionPoint[], index: number): string[] {
  const before = renderDecisionPoints(points.slice(0, index)).length;
  return renderDecisionPoints(points.slice(0, index + 1)).slice(before);
}
