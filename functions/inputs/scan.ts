// What a turn looks at before it begins: what others changed; and, where it is due, the rest (first-looks.ts).
import type { Message } from "../../shared/message.ts";
import { isActivePlan, isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { calledCommand } from "../../shared/project-command.ts";
import { isFinish } from "../../shared/session/history.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { firstLooks } from "./first-looks.ts";
import { needsInstructions } from "./instructions.ts";
import { outsideChanges, tellsOfMove } from "./outside-changes.ts";

/**
 * A plan run begins with a message or a replan in plan mode, while no plan is active; or with a message that may bring
 * another goal while one is under way.
 */
function beginsPlanRun({ mode, input, plan, messages }: TurnRequest, changes: readonly Message[]): boolean {
  const speaks = input.type === "message" || (input.type === "replan" && !isActivePlan(plan));
  const free = !isActivePlan(plan) || isUnderWay(plan.status);
  if (mode !== "plan" || !speaks || !free) return false;
  const scanned = messages.findLastIndex(isScan);
  return scanned < 0 || [...messages.slice(scanned + 1), ...changes].some(makesStale);
}

function isScan(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === "context_scan";
}

/** After these a scan no longer shows the repository: a plan ran or ended, something was written, or HEAD is elsewhere. */
function makesStale(message: Message): boolean {
  if (message.role === "event") return isFinish(message) || startsPlan(message) || tellsOfMove(message);
  const writes = message.role === "tool" && message.ok && message.mode !== "plan";
  return writes && ["edit_file", "write_file", "run_command"].includes(message.name);
}

function startsPlan(message: Message): boolean {
  if (message.role !== "event") return false;
  const { subkind, source, data } = message.extra.event;
  return source === "approval" || (subkind === "mode_switch" && data.approved === true);
}

/**
 * Hidden messages with what was found; none if nothing had to be looked at. The calls are keyed by the turn, so the sandbox
 * answers a repeated request with the same results and the opening stays the same.
 */
export async function scanWorkspace(deps: Deps, request: TurnRequest): Promise<Message[]> {
  const { input, messages } = request;
  const changes = await outsideChanges(deps, request);
  const due = {
    begins: needsInstructions(messages),
    scans: beginsPlanRun(request, changes),
    called: input.type === "message" ? calledCommand(input.text) : undefined,
  };
  if (!due.begins && !due.scans && !due.called) return changes;
  return [...changes, ...(await firstLooks(deps, request, due))];
}
