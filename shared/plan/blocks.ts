// The blocks in which models read hidden roles (PROTOCOL 2 and 7). The text inside a block cannot close it.
import { timeMark } from "./check-time.ts";
import { commandLines } from "./markdown-command.ts";
import { renderSteps } from "./markdown-steps.ts";
import { buildStep } from "./plan-body.ts";
import type { AddedStep, PlanDelta, StepChange } from "./plan-file.ts";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/**
 * A tag that opens or closes one of our blocks, including variants that a model might still accept: other case, spaces
 * inside.
 */
const ownMark =
  /<(?=[\s\u200b-\u200f\u2060]*\/?[\s\u200b-\u200f\u2060]*(?:plan|plan-update|approved-plan|proposed-plan|event)(?![\w-]))/gi;

/**
 * `text` as it is written inside a block: `&lt;` replaces the `<` of anything that could open or close one of our
 * blocks.
 */
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

/** The block with the body of a plan version. */
export function planBlock(version: number, markdown: string): string {
  return block("plan", { version }, markdown);
}

/** The block with an approved plan, which the model reads at the switch to execution. */
export function approvedPlanBlock(version: number, markdown: string): string {
  return block("approved-plan", { version }, markdown);
}

/** The block with a plan that was not approved, which the model reads at a switch of mode. */
export function proposedPlanBlock(version: number, markdown: string): string {
  return block("proposed-plan", { version }, markdown);
}

export function deltaBlock(seq: number, text: string): string {
  return block("plan-update", { seq }, text);
}

export function eventBlock(subkind: string, source: string, text: string): string {
  return block("event", { subkind, source }, text);
}

/**
 * An update in words: changed, added and removed steps, then the note. The limit on updates counts the size of this
 * text.
 */
export function deltaText(delta: PlanDelta): string {
  return [
    ...(delta.goal === undefined ? [] : [`Goal: ${delta.goal}`]),
    ...(delta.steps ?? []).map(changeLines),
    ...(delta.addSteps ?? []).map(addedLines),
    ...(delta.removeSteps ?? []).map((id) => `Removed [${id}]`),
    ...(delta.note === undefined || delta.note === "" ? [] : [delta.note]),
  ].join("\n");
}

/** The change in the form of the plan's own text, so that a command keeps its lines. */
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
