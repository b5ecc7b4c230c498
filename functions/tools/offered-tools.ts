// Which tools a mode offers, which of those a request shows, and what a model reads when it calls another one.
import { mentionsCommits } from "../../shared/asks-for-commits.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { planFirst } from "../../shared/plan/plan-first.ts";
import type { TurnOptions } from "../../shared/turn.ts";
import { askUser } from "./ask-user.ts";
import { readOutput, stopCommand } from "./background-tools.ts";
import { deliver } from "./deliver.ts";
import { editFile } from "./edit-file.ts";
import { enterPlan } from "./enter-plan.ts";
import { exitPlan } from "./exit-plan.ts";
import { explore } from "./explore.ts";
import { getPlan } from "./get-plan.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";
import { searchFiles } from "./search-files.ts";
import { setPlan } from "./set-plan.ts";
import { tools } from "./tool-index.ts";
import { updatePlan } from "./update-plan.ts";
import { writeFile } from "./write-file.ts";

const backgroundTools: ReadonlySet<string> = new Set([readOutput.name, stopCommand.name]);

/** The names allowed in `readOnlyTools`: the sandbox tools that plan mode offers. */
export const readOnlyChoices: readonly string[] = tools
  .filter(({ kind, modes, name }) => kind === "sandbox" && modes.includes("plan") && starterOf(name) === name)
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
        !limited || (kind === "engine" && name !== explore.name) || readOnlyTools.includes(starterOf(name)),
    )
    .map(({ name }) => name);
}

/** The tools that read and end background commands are offered together with the one that starts them. */
function starterOf(name: string): string {
  return backgroundTools.has(name) ? runCommand.name : name;
}

const planTools: ReadonlySet<string> = new Set([setPlan.name, updatePlan.name, getPlan.name]);

/** The tools that a request shows in `mode`; `planned`: see `isPlanned`. */
export function visibleTools(
  { readOnlyTools, deliver, explore }: TurnOptions,
  mode: Mode,
  planned: boolean,
  history: readonly Message[],
): string[] {
  return shownTools(offeredTools(mode, readOnlyTools), planned, history, deliver, !!explore);
}

/**
 * Those of `offered` that a request shows.
 * - Plan tools if they can be used, otherwise `enter_plan`. A plan that has ended still counts: each change of the tools
 *   empties the provider's cache, which costs more than these tools cost in hundreds of rounds.
 * - Tools for background commands once one was started.
 * - `deliver` once the person mentions commits or pushes, if `delivers`: the client has a sheet for them, and the
 *   repository has a remote.
 * - `explore` if `helpers`: the client lets the model send some.
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
  const asks = delivers && mentionsDelivery(history);
  return offered.filter(
    (name) =>
      !hidden.has(name) &&
      (beside || !backgroundTools.has(name)) &&
      (name !== deliver.name || asks) &&
      (name !== explore.name || helpers),
  );
}

/** The tools of a small model in the text form: to read, search, edit, write, run and ask, and to report on a plan. */
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

function mentionsDelivery(history: readonly Message[]): boolean {
  return history.some(({ role, content }) => role === "user" && mentionsCommits(content));
}

const asked = /"background"\s*:\s*"?true/;

/** Whether plan tools can be used: while planning, with a plan, or after an `enter_plan` that did not end in "just do it". */
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

const changes: ReadonlySet<string> = new Set([editFile.name, writeFile.name]);

/** The result of a call of a tool that is not offered (PROTOCOL 6). */
export function notOfferedText(name: string, mode: Mode): string {
  if (mode === "plan")
    return `error: tool \`${name}\` is not available in planning mode${changes.has(name) ? "; put the change into the plan" : ""}`;
  return name === exitPlan.name
    ? "error: tool `exit_plan` is for planning mode only, and nothing waits to be submitted; report the plan's steps with update_plan"
    : `error: unknown tool \`${name}\``;
}
