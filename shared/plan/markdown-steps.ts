// Renders and parses the steps of a plan: `1. [s1] text` with indented lines such as `- action:` (PROTOCOL 7).
import { markedTimeout, timeMark } from "./check-time.ts";
import { CommandReader, commandLines } from "./markdown-command.ts";
import { OnFail, type PlanBody } from "./plan-file.ts";
import { freeId, indentOf, LineProblem, type SourceLine } from "./plan-lines.ts";

export type BodyStep = PlanBody["steps"][number];
export type NamedStep = Pick<BodyStep, "id" | "description">;

const itemLine = /^\s*[-*+]\s+(action|before|after|check|on[ _-]?fail)\s*:(.*)$/i;
const timedCheck = /^\s*[-*+]\s+(check)\s*\(\s*(\d{1,6})\s*s\s*\)\s*:(.*)$/i;
const stepLine = /^(?: {0,2}\d{1,6}[.)]|[-*+])(?:\s+(.*))?$/;
const idMark = /^\[([^\s[\]]+)\](?:\s+(.*))?$/;
const onFailWords: readonly string[] = OnFail.def.values;

export function renderSteps(steps: readonly BodyStep[]): string[] {
  return steps.flatMap((step, index) => [
    `${index + 1}. [${step.id}] ${step.description}`,
    ...step.actions.map((text) => `   - action: ${text}`),
    ...step.preconditions.map((text) => `   - before: ${text}`),
    ...step.postconditions.map((text) => `   - after: ${text}`),
    ...(step.checkpoint === null
      ? []
      : commandLines(`   - check${timeMark(step.checkpoint)}: `, step.checkpoint.command, 5)),
    ...(step.onFail === "ask" ? [] : [`   - on fail: ${step.onFail}`]),
  ]);
}

interface OpenStep extends Omit<BodyStep, "id" | "checkpoint" | "onFail"> {
  line: number;
  id: string | undefined;
  check: CommandReader | undefined;
  time: { timeoutMs?: number };
  onFail: BodyStep["onFail"] | undefined;
}

/**
 * `taken`: ids that new steps must not get. A step without an id gets that of a step in `known` that says the same.
 * Throws LineProblem.
 */
export function parseSteps(
  lines: readonly SourceLine[],
  taken: Iterable<string>,
  known: readonly NamedStep[] = [],
): BodyStep[] {
  const steps: OpenStep[] = [];
  let reader: CommandReader | undefined;
  for (const line of lines) {
    if (reader?.take(line.text)) continue;
    reader = undefined;
    if (line.text.trim() === "") continue;
    const step = steps.at(-1);
    const timed = timedCheck.exec(line.text);
    const item = timed ?? itemLine.exec(line.text);
    if (step && item) {
      if (timed) step.time = markedTimeout(timed[2]);
      reader = addItem(step, item[1] ?? "", (item.at(-1) ?? "").trim(), line);
    } else steps.push(openStep(line));
  }
  return closeSteps(steps, taken, known);
}

function openStep(line: SourceLine): OpenStep {
  const match = stepLine.exec(line.text);
  if (!match) {
    throw new LineProblem(
      line.number,
      "expected a step such as `1. text`, or below a step an indented `- action:`, `- before:`, `- after:`, `- check:` or `- on fail:`",
    );
  }
  const text = (match[1] ?? "").trim();
  const marked = idMark.exec(text);
  const description = (marked ? (marked[2] ?? "") : text.replace(/^\[ \]\s+/, "")).trim();
  if (description === "") throw new LineProblem(line.number, "the step has no text");
  return {
    line: line.number,
    id: marked?.[1],
    description,
    actions: [],
    preconditions: [],
    postconditions: [],
    check: undefined,
    time: {},
    onFail: undefined,
  };
}

function addItem(step: OpenStep, word: string, text: string, line: SourceLine): CommandReader | undefined {
  const kind = word.toLowerCase();
  if (text === "") throw new LineProblem(line.number, `nothing follows \`- ${kind}:\``);
  if (kind === "action") step.actions.push(text);
  else if (kind === "before") step.preconditions.push(text);
  else if (kind === "after") step.postconditions.push(text);
  else if (kind === "check") {
    if (step.check) throw new LineProblem(line.number, "a step has one `- check:` only");
    step.check = new CommandReader(text, indentOf(line.text));
    return step.check;
  } else {
    if (step.onFail) throw new LineProblem(line.number, "a step has one `- on fail:` only");
    step.onFail = OnFail.def.values.find((choice) => choice === text.toLowerCase());
    if (!step.onFail) throw new LineProblem(line.number, `\`on fail\` is one of ${onFailWords.join(", ")}`);
  }
  return undefined;
}

function closeSteps(
  steps: readonly OpenStep[],
  taken: Iterable<string>,
  known: readonly NamedStep[],
): BodyStep[] {
  const ids = new Set<string>();
  for (const { id, line } of steps) {
    if (id === undefined) continue;
    if (ids.has(id))
      throw new LineProblem(line, `the step id [${id}] is used twice; leave it out of the new step`);
    ids.add(id);
  }
  const restated = known.filter(({ id }) => !ids.has(id));
  const used = new Set([...taken, ...ids]);
  return steps.map((step) => {
    const same =
      step.id === undefined ? restated.findIndex((one) => one.description === step.description) : -1;
    const id = step.id ?? restated.splice(same, same < 0 ? 0 : 1)[0]?.id ?? freeId("s", used);
    used.add(id);
    return {
      id,
      description: step.description,
      actions: step.actions,
      preconditions: step.preconditions,
      postconditions: step.postconditions,
      checkpoint: step.check ? { command: step.check.command, ...step.time } : null,
      onFail: step.onFail ?? "ask",
    };
  });
}
