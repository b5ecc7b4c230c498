// All tools, in the order in which providers see and cache them: insert a new one where it belongs, and do not reorder the
// others.
import { asksForCommits } from "../../shared/asks-for-commits.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { planFirst } from "../../shared/plan/plan-first.ts";
import type { TurnOptions } from "../../shared/turn.ts";
import type { ToolDefinition } from "../model/prompt.ts";
import type { EditStyle } from "../model/provider.ts";
import { askUser } from "./ask-user.ts";
import { readOutput, stopCommand } from "./background-tools.ts";
import { deliver } from "./deliver.ts";
import { editFile } from "./edit-file.ts";
import { enterPlan } from "./enter-plan.ts";
import { exitPlan } from "./exit-plan.ts";
import { explore } from "./explore.ts";
import { getPlan } from "./get-plan.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";
import { searchFiles } from "./search-files.ts";
import { setPlan } from "./set-plan.ts";
import type { Tool } from "./tool.ts";
import { updatePlan } from "./update-plan.ts";
import { writeFile } from "./write-file.ts";

export const tools: readonly Tool[] = [
  readFile,
  listFiles,
  searchFiles,
  runCommand,
  editFile,
  writeFile,
  setPlan,
  updatePlan,
  getPlan,
  askUser,
  exitPlan,
  enterPlan,
  readOutput,
  stopCommand,
  deliver,
  explore,
];

const toolsByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

export const toolNames: ReadonlySet<string> = new Set(toolsByName.keys());

export function findTool(name: string): Tool | undefined {
  return toolsByName.get(name);
}

const backgroundTools: ReadonlySet<string> = new Set([readOutput.name, stopCommand.name]);

/** What `readOnlyTools` may name: the tools of the sandbox that plan mode offers. */
export const readOnlyChoices: readonly string[] = tools
  .filter(({ kind, modes, name }) => kind === "sandbox" && modes.includes("plan") && commandOf(name) === name)
  .map(({ name }) => name);

/**
 * The names of the tools offered in `mode`, in a fixed order so that provider caches hold.
 * `readOnlyTools` replaces the sandbox tools of plan mode.
 */
export function offeredTools(mode: Mode, readOnlyTools?: readonly string[]): string[] {
  const limited = mode === "plan" && readOnlyTools !== undefined;
  return tools
    .filter(({ modes }) => modes.includes(mode))
    .filter(
      ({ kind, name }) =>
        !limited || (kind === "engine" && name !== explore.name) || readOnlyTools.includes(commandOf(name)),
    )
    .map(({ name }) => name);
}

/** The tools that read and end commands are offered with the one that starts them. */
function commandOf(name: string): string {
  return backgroundTools.has(name) ? runCommand.name : name;
}

const planTools: ReadonlySet<string> = new Set([setPlan.name, updatePlan.name, getPlan.name]);

/** The tools that a request shows in `mode`; `planned`: see isPlanned. */
export function visibleTools(
  { readOnlyTools, deliver, explore }: TurnOptions,
  mode: Mode,
  planned: boolean,
  history: readonly Message[],
): string[] {
  return shownTools(offeredTools(mode, readOnlyTools), planned, history, deliver, !!explore);
}

/**
 * Those of `offered` that a request shows: plan tools where they can be used, else `enter_plan`; those for commands in the
 * background once there was one. A plan that is over still counts: each change of the tools empties the provider's cache,
 * which costs more than they do for hundreds of rounds. `delivers`: the client has a sheet for it, and the repository a remote; it is
 * shown once the person speaks of such a thing. `helpers`: the client lets the model send some.
 */
export function shownTools(
  offered: readonly string[],
  planned: boolean,
  history: readonly Message[],
  delivers = false,
  helpers = false,
): string[] {
  const hidden = planned ? new Set([enterPlan.name]) : planTools;
  const beside = hasBackground(history);
  const asks = delivers && asksToDeliver(history);
  return offered.filter(
    (name) =>
      !hidden.has(name) &&
      (beside || !backgroundTools.has(name)) &&
      (name !== deliver.name || asks) &&
      (name !== explore.name || helpers),
  );
}

/** What a small model is shown in the text form: to read, search, edit, write, run and ask, and to report on a plan. */
const smallTools: ReadonlySet<string> = new Set([
  ...[readFile, searchFiles, runCommand, editFile, writeFile, askUser].map(({ name }) => name),
  ...[updatePlan.name, exitPlan.name],
]);

export function fewTools(shown: readonly string[]): string[] {
  return shown.filter((name) => smallTools.has(name));
}

function hasBackground(history: readonly Message[]): boolean {
  return history.some(
    (message) =>
      message.role === "assistant" &&
      message.toolCalls?.some(({ name, arguments: args }) => name === runCommand.name && asked.test(args)),
  );
}

function asksToDeliver(history: readonly Message[]): boolean {
  return history.some(({ role, content }) => role === "user" && asksForCommits(content));
}

const asked = /"background"\s*:\s*"?true/;

/** Whether plan tools can be used: while planning, with a plan, and once `enter_plan` has not ended in "just do it". */
export function isPlanned(mode: Mode, plan: unknown, history: readonly Message[]): boolean {
  if (mode === "plan" || (plan !== null && plan !== undefined)) return true;
  return history.some(
    (message) =>
      message.role === "tool" &&
      message.name === enterPlan.name &&
      message.ok &&
      planFirst(message) !== false,
  );
}

/** `edits`: the form of edits that this model is shown. Every form is accepted, whatever is shown. */
export function toolDefinitions(offered: readonly string[], edits: EditStyle = "rows"): ToolDefinition[] {
  return offered.flatMap((name) => {
    const tool = findTool(name);
    if (!tool) return [];
    const { description, parameters } = (edits === "text" ? tool.shownAsText : undefined) ?? tool;
    return [{ name, description, parameters }];
  });
}

const changes: ReadonlySet<string> = new Set([editFile.name, writeFile.name]);

/** What a model reads when it calls a tool that is not offered (PROTOCOL 6). */
export function refusal(name: string, mode: Mode): string {
  if (mode === "plan")
    return `error: tool \`${name}\` is not available in planning mode${changes.has(name) ? "; put the change into the plan" : ""}`;
  return name === exitPlan.name
    ? "error: tool `exit_plan` is for planning mode only, and nothing waits to be submitted; report the plan's steps with update_plan"
    : `error: unknown tool \`${name}\``;
}
