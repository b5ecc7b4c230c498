// A session's state in plain words, for the list and the header.

import type { ToolCall } from "../message.ts";
import type { Plan } from "../plan/plan-file.ts";
import { isPlanFirst } from "../plan/plan-first.ts";
import { isOver } from "../plan/steps.ts";
import { askedInWords, firstLine, inCode } from "./asked-words.ts";
import { callArguments } from "./call-facts.ts";
import type { FileCount, SessionHead, SessionState } from "./session-state.ts";
import { type Permission, permissionsOf, waitingFor } from "./waiting.ts";

/** `waiting` is blue like the plan, `running` is the ringed stop button, `hollow` is an idle session. */
export type RailMark = "hollow" | "waiting" | "running" | "done" | "failed";

/** In `text`, commands and paths are in backticks. */
export interface SessionSummary {
  text: string;
  mark: RailMark;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What a call does, in the form "running `npm test`". */
export function callInWords(call: Pick<ToolCall, "name" | "arguments">): string {
  const { path, command, pattern } = callArguments(call.arguments);
  switch (call.name) {
    case "read_file":
      return path === undefined ? "reading" : `reading \`${path}\``;
    case "list_files":
      return "looking around";
    case "search_files":
      return pattern === undefined ? "searching" : `searching ${inCode(pattern)}`;
    case "run_command":
      return command === undefined ? "running a command" : `running ${inCode(firstLine(command))}`;
    case "read_output":
      return "reading the output of a command";
    case "edit_file":
      return path === undefined ? "editing" : `editing \`${path}\``;
    case "write_file":
      return path === undefined ? "writing" : `writing \`${path}\``;
    case "set_plan":
      return "writing the plan";
    case "update_plan":
      return "changing the plan";
    case "ask_user":
      return "asking you";
    case "explore":
      return "a helper looks around";
    default:
      return "working";
  }
}

/** Number of the active step, counted from 1; 0 = none. */
export function activeStepNumber(plan: Plan | null): number {
  return (plan?.steps.findIndex((step) => step.status === "active") ?? -1) + 1;
}

/** For example "2 files, +14 −6"; undefined if nothing was changed. */
export function changesInWords(changes: Record<string, FileCount>): string | undefined {
  const files = Object.values(changes);
  if (files.length === 0) return undefined;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `${plural(files.length, "file")}, +${added} −${removed}`;
}

/** The same for a session with a commit: "Committed 3bcb267 on feature · 0 files since". */
export function changesSinceInWords({ changes, committed }: SessionHead): string | undefined {
  const changed = changesInWords(changes);
  return committed === null ? changed : sinceInWords(committed, changed ?? "0 files");
}

export function sinceInWords(
  { hash, branch, moved, unread }: NonNullable<SessionHead["committed"]>,
  changed: string,
): string {
  return `${moved ? "Moved to" : "Committed"} ${hash} on ${branch} · ${changed} since${unread ? " it was noticed" : ""}`;
}

/**
 * `isDecided`: whether the person has made this decision and it has not been sent yet, so that it is no longer asked.
 * `isEdited`: whether the waiting plan has edits by the person that have not been sent yet.
 */
export function sessionSummary(
  state: SessionState,
  isDecided: (asked: Permission) => boolean = () => false,
  isEdited = false,
): SessionSummary {
  const { head } = state;
  const waiting = waitingFor(state);
  switch (waiting.kind) {
    case "failure":
      if (waiting.error.code === "not_kept")
        return { text: "Part of the answer is not kept", mark: "failed" };
      return { text: `Needs you: ${waiting.error.message}`, mark: "failed" };
    case "permission":
      return permissionSummary(waiting.asked, isDecided) ?? runningSummary(state);
    case "questions":
      return {
        text: `Waiting for you: ${isPlanFirst(waiting.asked.questions) ? "plan first?" : plural(waiting.asked.questions.length, "question")}`,
        mark: "waiting",
      };
    case "proposal": {
      if (isEdited) return { text: "Waiting for you: your edited plan", mark: "waiting" };
      const steps = waiting.plan.steps.length;
      return {
        text: `Waiting for you: ${steps === 0 ? "a plan" : `plan of ${plural(steps, "step")}`}`,
        mark: "waiting",
      };
    }
    case "approved":
      return { text: "Approved · starts when you say so", mark: "waiting" };
    case "continue":
      return { text: "Paused: tap to continue", mark: "waiting" };
    case "open":
      return restingSummary(head);
    case "nothing":
      if (head.turn?.status !== "running") return restingSummary(head);
      // A later call that needs permission is asked about before the turn reaches it.
      return permissionSummary(permissionsOf(head), isDecided) ?? runningSummary(state);
  }
}

function permissionSummary(
  all: readonly Permission[],
  isDecided: (asked: Permission) => boolean,
): SessionSummary | undefined {
  const permission = all.find((asked) => !isDecided(asked));
  if (permission === undefined) return undefined;
  if (permission.risk === "plan_change")
    return { text: "Waiting for you: approve a change of the plan?", mark: "waiting" };
  return permission.risk === "outcome_unknown"
    ? { text: `Needs you: ${askedInWords(permission).object} may have run`, mark: "failed" }
    : { text: `Waiting for you: ${askedInWords(permission).whole}?`, mark: "waiting" };
}

/** What the turn is doing at this moment; undefined = the model is thinking or writing. */
function doingInWords({ head, live }: SessionState): string | undefined {
  // When the model is asked again, its calls have ended, although their results may arrive only with its next answer.
  const call = live.wait === null ? head.openCalls[0] : undefined;
  if (call === undefined) return undefined;
  const { check, outOfTime } = live.started[call.id] ?? {};
  if (check && outOfTime) return "the check ran out of time";
  return check === undefined ? callInWords(call) : `checking ${inCode(firstLine(check.command))}`;
}

function runningSummary(state: SessionState): SessionSummary {
  const { head } = state;
  const doing = doingInWords(state);
  const step = activeStepNumber(head.plan);
  if (step > 0 && head.mode !== "plan") {
    const place = `Step ${step} of ${head.plan?.steps.length ?? step}`;
    return { text: doing === undefined ? place : `${place} · ${doing}`, mark: "running" };
  }
  const phase = head.mode === "plan" ? "Planning" : "Working";
  return { text: doing === undefined ? phase : `${phase} · ${doing}`, mark: "running" };
}

function restingSummary(head: SessionHead): SessionSummary {
  const { plan, turn } = head;
  const changed = changesSinceInWords(head);
  const suffix = changed === undefined ? "" : ` · ${changed}`;
  if (turn === null) return { text: "New · nothing said yet", mark: "hollow" };
  const left = plan?.steps.filter((step) => !isOver(step)).length ?? 0;
  const total = plan?.steps.length ?? 0;
  const open = plan !== null && plan.status === "executing" && left > 0;
  if (turn.reason === "stopped" && open)
    return { text: `Stopped after ${total - left} of ${plural(total, "step")}${suffix}`, mark: "hollow" };
  if (turn.reason === "stopped") return { text: `Stopped${suffix}`, mark: "hollow" };
  if (plan !== null && plan.status === "executing" && left > 0) {
    const failed = plan.steps.some((step) => step.status === "failed");
    return {
      text: `Paused after ${total - left} of ${plural(total, "step")}${suffix}`,
      mark: failed ? "failed" : "hollow",
    };
  }
  if (plan !== null && (plan.status === "done" || (plan.status === "executing" && total > 0))) {
    return { text: `Done${suffix}`, mark: "done" };
  }
  if (changed !== undefined) return { text: `Done · ${changed}`, mark: "done" };
  if (head.commandCount > 0) return { text: `Done · ${plural(head.commandCount, "command")}`, mark: "done" };
  return { text: `Answered · ${plural(head.saidCount, "message")}`, mark: "hollow" };
}
