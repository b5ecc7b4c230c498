// Hidden roles as the model reads them (PROTOCOL 2 and 7): blocks whose payload cannot close them.
import { timeMark } from "./check-time.ts";
import { commandLines } from "./markdown-command.ts";
import { renderSteps } from "./markdown-steps.ts";
import { buildStep } from "./plan-body.ts";
import type { AddedStep, PlanDelta, StepChange } from "./plan-file.ts";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** The mark that begins one of our blocks, or ends one, also as a model might still read it: other case, spaces within. */
const ownMark =
  /<(?=[\s\u200b-\u200f\u2060]*\/?[\s\u200b-\u200f\u2060]*(?:plan|plan-update|approved-plan|proposed-plan|event)(?![\w-]))/gi;

/** `text` as it is written inside a block: what could open or close one of ours begins with `&lt;`, all else is as it was. */
export function escapeBlock(text: string): string {
  return text.replace(ownMark, "&lt;");
}

function attribute(value: string | number): string {
  return String(value).replace(/[&<>"]/g, (mark) => escapes[mark] ?? mark);
}

function block(tag: string, attributes: Record<string, string | number>, text: string): string {
  const head = Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value)}"`);
  return `<${tag}${head.join("")}>\n${escapeBlock(text)}\n</${tag}>`;
}

/** The body of a plan version. */
export function planBlock(version: number, markdown: string): string {
  return block("plan", { version }, markdown);
}

/** A plan that the person approved, as the switch to execution shows it. */
export function approvedPlanBlock(version: number, markdown: string): string {
  return block("approved-plan", { version }, markdown);
}

/** A plan that was not approved, as a switch of mode shows it. */
export function proposedPlanBlock(version: number, markdown: string): string {
  return block("proposed-plan", { version }, markdown);
}

export function deltaBlock(seq: number, text: string): string {
  return block("plan-update", { seq }, text);
}

export function eventBlock(subkind: string, source: string, text: string): string {
  return block("event", { subkind, source }, text);
}

/** An update in words: changed, added and removed steps, then the note. Its size is what the cap counts. */
export function deltaText(delta: PlanDelta): string {
  return [
    ...(delta.goal === undefined ? [] : [`Goal: ${delta.goal}`]),
    ...(delta.steps ?? []).map(changeLines),
    ...(delta.addSteps ?? []).map(addedLines),
    ...(delta.removeSteps ?? []).map((id) => `Removed [${id}]`),
    ...(delta.note === undefined || delta.note === "" ? [] : [delta.note]),
  ].join("\n");
}

/** In the form of the plan's own text, so that a command keeps its lines. */
function changeLines(change: StepChange): string {
  const { id, status, description, checkpoint, onFail, note } = change;
  const head = [status, description].filter((part) => part !== undefined).join("; ");
  return [
    `Step [${id}]:${head === "" ? "" : ` ${head}`}`,
    ...listLines("action", change.actions),
    ...listLines("before", change.preconditions),
    ...listLines("after", change.postconditions),
    ...(checkpoint === undefined
      ? []
      : commandLines(`   - check${timeMark(checkpoint ?? {})}: `, checkpoint?.command ?? "none", 5)),
    ...(onFail === undefined ? [] : [`   - on fail: ${onFail}`]),
    ...(note === undefined ? [] : [`   - note: ${note}`]),
  ].join("\n");
}

function listLines(word: string, texts: readonly string[] | undefined): string[] {
  if (texts === undefined) return [];
  return (texts.length > 0 ? texts : ["none"]).map((text) => `   - ${word}: ${text}`);
}

function addedLines({ after, ...input }: AddedStep): string {
  const step = buildStep(input, input.id ?? "");
  const where = after === undefined ? "" : ` after [${after}]`;
  const [, ...items] = renderSteps([step]);
  return [`Added [${step.id}]${where}: ${step.description}`, ...items].join("\n");
}
