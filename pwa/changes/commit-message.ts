// Writes a commit message immediately and without a model, from the plan, its decisions, and the files. Pure.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { goalParts, titleOfGoal } from "../../shared/session/title.ts";
import type { DiffFile } from "../diff/parse-diff.ts";

/** Git's own tools show this much of a subject. */
const subjectChars = 72;
/** A longer list is rarely read in a log. */
const maxPoints = 12;

interface PlanForMessage {
  goal: string;
  steps: readonly Pick<Plan["steps"][number], "description" | "status">[];
  decisions: readonly Pick<Plan["decisions"][number], "label" | "answer">[];
}

/** `title` is the session's title, for a session without a plan. */
export function draftedMessage(
  plan: PlanForMessage | null,
  title: string,
  files: readonly Pick<DiffFile, "path" | "status">[],
): string {
  const goal = plan?.goal && (titleOfGoal(plan.goal) ?? goalParts(plan.goal).title);
  const subject = shortened(plainTitle(goal || title || namesOf(files)));
  const done = (plan?.steps ?? [])
    .filter(({ status }) => status === "done")
    .map(({ description }) => description);
  const decided = (plan?.decisions ?? []).map(({ label, answer }) => `${label}: ${answer}`);
  const points = [...done, ...decided].slice(0, maxPoints).map((point) => `- ${plainTitle(point)}`);
  return points.length === 0 ? subject : `${subject}\n\n${points.join("\n")}`;
}

function namesOf(files: readonly Pick<DiffFile, "path" | "status">[]): string {
  const [first] = files;
  if (first === undefined) return "";
  const verb = first.status === "new" ? "Add" : first.status === "deleted" ? "Remove" : "Change";
  return files.length === 1 ? `${verb} ${first.path}` : `Change ${files.length} files`;
}

function shortened(text: string): string {
  if (text.length <= subjectChars) return text;
  const cut = text.slice(0, subjectChars - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), subjectChars / 2))}…`;
}

function plainTitle(text: string): string {
  return text
    .replace(/^#+\s*/, "")
    .replaceAll("`", "")
    .replace(/\s+/g, " ")
    .trim();
}
