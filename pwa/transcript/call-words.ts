// Describes calls in words for a person: the one line of a card, and the summary of a group.
import { isRecord } from "../../shared/is-record.ts";
import type { EventMessage, ToolCall, ToolMessage } from "../../shared/message.ts";
import { callArguments, changedFiles, factsOf } from "../../shared/session/call-facts.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { planningTools } from "../../shared/session/tool-groups.ts";
import { foreignTool, searchedTool } from "../words/searched-tool.ts";
import { olderProposal } from "./proposals.ts";
import type { CallView } from "./rows.ts";

/** Reading tools that are described in words; others are shown by their name. */
const worded = new Set(["read_file", "search_files", "list_files", "get_plan"]);

/** Actions on a background command, whose own card names the command. */
const besideWords: Readonly<Record<string, string>> = {
  read_output: "Read the output in the background",
  stop_command: "Stopped the background command",
};

/** "Read 6 files, searched twice". */
export function lookedInWords(calls: readonly CallView[]): string {
  const read = new Set(
    calls
      .filter(({ call }) => call.name === "read_file")
      .map(({ call }) => callArguments(call.arguments).path),
  );
  const searched = calls.filter(({ call }) => call.name === "search_files").length;
  const listed = calls.filter(({ call }) => call.name === "list_files").length;
  const parts: string[] = [];
  if (read.size === 1) parts.push(`read \`${[...read][0] ?? "a file"}\``);
  else if (read.size > 1) parts.push(`read ${plural(read.size, "file")}`);
  if (searched > 0)
    parts.push(
      searched === 1 ? "searched once" : searched === 2 ? "searched twice" : `searched ${searched} times`,
    );
  if (listed > 0) parts.push("looked at the tree");
  const others = [...new Set(calls.map(({ call }) => call.name).filter((name) => !worded.has(name)))];
  if (others.length > 0) parts.push(`used ${others.map((name) => `\`${name}\``).join(", ")}`);
  if (parts.length === 0) parts.push("looked at the plan");
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * How long the sandbox worked on the calls; those of one answer run in parallel. The dates of their messages do not
 * tell it: the server may have been away between them.
 */
export function lookedMs(calls: readonly CallView[]): number {
  const longest = new Map<string, number>();
  for (const { answer, result } of calls) {
    const ms = (result && factsOf(result).ms) ?? 0;
    longest.set(answer, Math.max(ms, longest.get(answer) ?? 0));
  }
  return [...longest.values()].reduce((sum, ms) => sum + ms, 0);
}

/** What one reading call looked at: a path or a pattern. */
export function lookedAt(call: ToolCall): string {
  const { path, pattern } = callArguments(call.arguments);
  switch (call.name) {
    case "read_file":
      return path ?? "a file";
    case "search_files":
      return `search ${pattern ?? ""}`;
    case "list_files":
      return `list ${path ?? "."}`;
    case "get_plan":
      return "the plan";
    default:
      return call.name;
  }
}

export interface CardWords {
  verb: string;
  /** A path or a command; empty if the verb says everything. */
  object: string;
  /** The reason, shown after the object. */
  why?: string;
  /** The figures at the right; empty if there are none. */
  figures: string;
  state: "running" | "ok" | "bad" | "refused" | "unrun";
}

/** The engine's texts for calls that were never run, and their meaning in words for the person. A group is the person's reason. */
const notRun: readonly (readonly [RegExp, string])[] = [
  [/^denied by the person(?:: (.+))?/, "you denied it"],
  [/^not run: an earlier call/, "the one before was denied"],
  [/^not run: the checkpoint/, "a check failed before it"],
  [/^cancelled: the person/, "you said something else"],
  [/^(?:error: )?not run: the person said/i, "your message came first"],
  [/^(?:stopped$|not run: the person stopped)/, "you stopped it"],
];

/** The one line of a card for a call that changes or runs something, or that was refused. */
export function cardWords(view: CallView): CardWords {
  const { call, result } = view;
  const args = callArguments(call.arguments);
  const [command = "", ...further] = (args.command ?? "").split("\n");
  // Every part of a command is shown, or the card says that some is left out.
  const lines = further.length === 0 ? "" : ` … ${plural(further.length, "more line")}`;
  const object = args.path ?? `${command}${lines}`;
  const named = object || (foreignTool(call) ?? "");
  const running = result === undefined;
  if (result !== undefined && !result.ok) {
    if (isRefusal(result.content))
      return { verb: "Refused", object: named || call.name, figures: "", state: "refused" };
    if (result.content.startsWith("not kept: "))
      return {
        verb: "May have run:",
        object: named,
        why: "what came of it is not kept",
        figures: "",
        state: "unrun",
      };
    if (changesPlan.has(call.name) && keptAsApproved.test(result.content))
      return { ...notChanged, object: "", why: "you kept it as it was" };
    const [begins, meant] = notRun.find(([begins]) => begins.test(result.content)) ?? [];
    const [, reason] = begins?.exec(result.content) ?? [];
    const why = meant === undefined ? neverBegan(call, result) : reason ? `${meant}: ${reason}` : meant;
    if (why !== undefined || factsOf(result).code === "not_run")
      return {
        verb: "Not run:",
        object: named || lookedAt(call),
        ...(why && { why }),
        figures: "",
        state: "unrun",
      };
  }
  const proposal = olderProposal(view);
  if (proposal !== undefined) {
    const version = proposal.version ?? view.proposal;
    const figures = version === undefined ? "" : `version ${version}`;
    return { verb: "Proposed a plan", object: proposal.planPath ?? "", figures, state: "ok" };
  }
  if (call.name === "run_command") {
    const { exitCode, timedOut, code, background } = result === undefined ? {} : factsOf(result);
    const failed = result !== undefined && (!result.ok || (exitCode ?? 0) !== 0 || timedOut === true);
    const end =
      timedOut === true
        ? "timed out"
        : code !== undefined
          ? code.replaceAll("_", " ")
          : exitCode === undefined || exitCode === null
            ? ""
            : `exit ${exitCode}`;
    return {
      verb: running ? "Unfinished:" : background === undefined ? "Ran" : "Started in the background:",
      object,
      figures: failed ? end : "",
      state: running ? "running" : failed ? "bad" : "ok",
    };
  }
  if (call.name === "edit_file" || call.name === "write_file") {
    const file = result === undefined ? undefined : changedFiles(result)[0];
    const writes = call.name === "write_file";
    if (result !== undefined && !result.ok)
      return { verb: "Did not apply to", object, figures: "", state: "bad" };
    const verb = running ? "Unfinished:" : writes ? "Wrote" : "Edited";
    const figures = file === undefined ? "" : `+${file.added} −${file.removed}`;
    return { verb, object: file?.path ?? object, figures, state: running ? "running" : "ok" };
  }
  const foreign = foreignWords(view) ?? searchedWords(view);
  if (foreign) return foreign;
  if (call.name === "explore") {
    const { task = "" } = args;
    const verb = running ? "A helper looks:" : result.ok ? "A helper looked:" : "A helper did not report:";
    const state = running ? "running" : result.ok ? "ok" : "bad";
    const figures = readsInWords(view);
    return { verb, object: task.split("\n", 1)[0] ?? "", figures, state };
  }
  if (result !== undefined && !result.ok) {
    if (changesPlan.has(call.name) && view.check === undefined) {
      const { tries } = view;
      return { ...notChanged, object, ...(tries && { why: `tried ${tries} times` }) };
    }
    return { ...failed(view), object, figures: "", state: "bad" };
  }
  const beside = besideWords[call.name];
  if (beside !== undefined && !running) return { verb: beside, object: "", figures: "", state: "ok" };
  if (!planningTools.has(call.name) && !worded.has(call.name))
    return {
      verb: running ? "Unfinished:" : "Used",
      object: object || call.name,
      figures: "",
      state: running ? "running" : "ok",
    };
  return { verb: running ? "Unfinished:" : "Done", object, figures: "", state: running ? "running" : "ok" };
}

const changesPlan = new Set(["set_plan", "update_plan"]);

/** The engine's text for a change of the plan that the person did not allow. */
export const keptAsApproved = /^The plan stays as the person approved it/m;

/** For a call that left the plan unchanged: nothing ran, and nothing failed. */
const notChanged = { verb: "Plan not changed", figures: "", state: "unrun" } as const;

const prefixed = /^mcp__([a-z0-9-]+)__(.+)$/;

/** For a tool of an MCP server. Until there is a result, only the tool's name tells which server it is. */
function foreignWords({ call, result }: CallView): CardWords | undefined {
  const facts = result === undefined ? {} : factsOf(result);
  const [, of, named] = prefixed.exec(call.name) ?? [];
  const [server = of, tool = named ?? call.name] = [facts.server, facts.tool];
  if (server === undefined) return undefined;
  if (result === undefined) return { verb: "Unfinished:", object: tool, figures: "", state: "running" };
  const from = `from ${server}`;
  if (result.ok) return { verb: "Used", object: tool, why: from, figures: "", state: "ok" };
  if (facts.code === "outcome_unknown")
    return { verb: "May have run:", object: tool, why: from, figures: "", state: "unrun" };
  const why = facts.code === "tool_changed" ? "changed since you allowed it: see Settings" : from;
  return { verb: "Did not work:", object: tool, why, figures: "", state: "bad" };
}

/** For the search among the tools of MCP servers, and for the call of a tool that the search found. */
function searchedWords({ call, result }: CallView): CardWords | undefined {
  const object = searchedTool(call);
  if (object === undefined) return undefined;
  const finds = call.name === "find_tool";
  if (result === undefined) return { verb: "Unfinished:", object, figures: "", state: "running" };
  if (result.ok) return { verb: finds ? "Looked for a tool:" : "Used", object, figures: "", state: "ok" };
  const verb = finds
    ? "Could not look for a tool:"
    : /^error: there is no tool /.test(result.content)
      ? "There is no tool"
      : "Did not work:";
  return { verb, object, figures: "", state: "bad" };
}

function readsInWords({ rounds = [] }: CallView): string {
  const reads = rounds.reduce((sum, round) => sum + readsOf(round), 0);
  return reads === 0 ? "" : plural(reads, "read");
}

/** The calls of one round of a helper. */
export function readsOf({ extra }: EventMessage): number {
  const { answer } = extra.event.data;
  const calls = isRecord(answer) ? answer.toolCalls : undefined;
  return Array.isArray(calls) ? calls.length : 0;
}

/** What failed, without the name of the tool. */
function failed({ call, check }: CallView): { verb: string } {
  switch (call.name) {
    case "read_file":
      return { verb: "Could not read" };
    case "list_files":
      return { verb: "Could not look at" };
    case "search_files":
      return { verb: "Could not search" };
    case "ask_user":
      return { verb: "Could not ask" };
    case "exit_plan":
      return { verb: "Plan not proposed" };
    case "get_plan":
      return { verb: "Plan not read" };
    case "update_plan":
      return { verb: `${check?.step ? `Check of step ${check.step}` : "A check"} ${check?.how ?? "failed"}` };
    default:
      return { verb: "Did not work" };
  }
}

function isRefusal(content: string): boolean {
  return /^error: (tool `|unknown tool `)/.test(content);
}

/** Codes with which the sandbox refuses a command before anything of it runs. */
const refusals = /^(invalid_request|forbidden|readonly|path_escape|not_found|unsupported)$/;

/** Why a command never began, if that is known: the engine could not read the call, or the sandbox refused it. */
function neverBegan({ name }: ToolCall, result: ToolMessage): string | undefined {
  const { code, exitCode, timedOut } = factsOf(result);
  if (name !== "run_command" || exitCode !== undefined || timedOut !== undefined) return undefined;
  if (code === undefined) return result.content.startsWith("error: ") ? "the call was malformed" : undefined;
  return refusals.test(code) ? /^(?:error: )?(.*?)(?:\. |\.?$)/m.exec(result.content)?.[1] : undefined;
}

/** A tool's text without the parts that only the model needs: the anchors in header rows and the meta line. */
export function plainResult(content: string): string {
  return content
    .replaceAll("\r\n", "\n")
    .replace(/\n?\[meta\][^\n]*$/, "")
    .replace(/^(\d+)[a-z]{3}\|/gm, "$1  ");
}
