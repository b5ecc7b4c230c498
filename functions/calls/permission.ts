// Permission gates: which calls wait for the person, and what the person is asked. Also what the person has already
// said: whether they want commits (in their words or in a plan that they approved), and whether they approved the plan
// under way or the model began it by itself.

import { asCode } from "../../shared/as-code.ts";
import { asksForCommits, commitsAsked } from "../../shared/asks-for-commits.ts";
import type { Risk } from "../../shared/event.ts";
import type { ExactCommand } from "../../shared/grant.ts";
import type { Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { CallResult, OpName } from "../../shared/sandbox.ts";
import { type CommandRisk, risksToAsk } from "../command-risk/command-risk.ts";
import type { PendingCall, Waits } from "./prepared.ts";
import type { ToolTurn } from "./tool-turn.ts";

/** A risk of one of the commands. */
export type AskedRisk = Pick<CommandRisk, "why" | "program" | "subcommand" | "only"> & {
  risk: Risk;
  command: string;
};

const changing: ReadonlySet<OpName> = new Set<OpName>(["exec", "change", "restore"]);

/**
 * The permission that `commands` need in this mode and the person has not given. Only the sandbox's journal says what
 * was given: the posted history grants nothing. One question covers all commands, since a call is decided once.
 * `named`: each reason says which command it is about. `more`: further risks to ask about. `cwd`: where they run.
 */
export function gate(
  { env, state }: Pick<ToolTurn, "env" | "state">,
  pending: PendingCall,
  commands: readonly string[],
  named?: "checkpoints",
  more: readonly AskedRisk[] = [],
  cwd?: string,
): Waits | undefined {
  if (pending.permitted) return undefined;
  const commits = state.mode !== "auto" || personAsksForCommits({ env, state });
  const found: AskedRisk[] = [...risksToAsk(commands, state.mode, env.grants, cwd, commits), ...more];
  const reasons = found.map(({ command, why }) =>
    named ? `The checkpoint ${asCode(command)}: ${why}` : why,
  );
  if (!found[0]) return undefined;
  const { risk, program, subcommand, only } = found[0];
  const listed = named ? { commands: [...commands] } : {};
  return askPermission(pending, {
    risk,
    why: reasons.join("\n"),
    program,
    subcommand,
    ...(only ? { only } : {}),
    ...listed,
  });
}

/**
 * The question to the person if it is not known whether `op` changed anything. `checkpoint`: the command, if
 * the call itself names none.
 */
export function unknownOutcome(
  pending: PendingCall,
  op: OpName,
  result: CallResult | undefined,
  checkpoint?: string,
): Waits | undefined {
  if (result?.error?.code !== "outcome_unknown" || !changing.has(op)) return undefined;
  const output = result.error.details?.output;
  return askPermission(pending, {
    risk: "outcome_unknown",
    why: "The sandbox server ended while this ran: it may have run, in part or whole.",
    ...(typeof output === "string" ? { output } : {}),
    ...(checkpoint === undefined ? {} : { commands: [checkpoint] }),
  });
}

/** `program`, `subcommand` and `only`: what allowing it for the session would cover. */
interface PermissionQuestion {
  risk: Risk;
  why: string;
  program?: string;
  subcommand?: string;
  only?: ExactCommand;
  output?: string;
  commands?: string[];
  change?: { updates: string[]; diff: string };
}

/** Leaves the call open and asks the person. */
export function askPermission(pending: PendingCall, question: PermissionQuestion): Waits {
  const { id: toolCallId, name, arguments: json } = pending.call;
  return {
    kind: "waits",
    reason: "permission",
    drafts: [{ event: "permission", data: { toolCallId, name, arguments: json, ...question } }],
  };
}

/** The history and grants to look in. */
interface SaidTurn {
  env: Pick<ToolTurn["env"], "grants"> & { request: { turnId: string } };
  state: Pick<ToolTurn["state"], "history" | "plan">;
}

/** Words of earlier turns count only if the sandbox's journal has them: a posted history may come from a file. */
export function personAsksForCommits({
  env: { grants, request },
  state: { history, plan },
}: SaidTurn): boolean {
  const ofTurn = `${request.turnId}.`;
  return (
    grants.some(({ risk }) => risk === commitsAsked) ||
    history.some(
      ({ role, id, content }) => role === "user" && id.startsWith(ofTurn) && asksForCommits(content),
    ) ||
    (wasApproved(plan, history) && asksForCommits(approvedText(history)))
  );
}

/** The plan as it was approved. Later changes by the model, and plans it begins itself in auto mode, do not count as the person's words. */
function approvedText(history: readonly Message[]): string {
  const at = history.findLastIndex(isApproval);
  // Compaction may have dropped the approval from a long history. A plan written in auto mode needs none.
  const version = history.findLast(
    (message, index) => message.role === "plan" && (at < 0 ? message.mode !== "auto" : index < at),
  );
  return version?.role === "plan" ? version.extra.plan.markdown : "";
}

/**
 * A plan in progress counts as approved if the person approved it after it was last written as a draft, or if it was
 * written in auto mode, which shows it without asking. When an approved plan changes (the person's own edit, a
 * permission, or auto mode), the new version is stored as `executing`, so the earlier approval covers it. Only the end
 * of a long history is posted: if no user message is in it, a plan written in plan mode was approved earlier.
 */
export function wasApproved(plan: Plan | null, messages: readonly Message[]): boolean {
  if (plan?.status !== "executing") return plan?.status === "approved";
  const written = messages.findLastIndex(
    (message) => message.role === "plan" && message.extra.plan.status === "draft",
  );
  const said = messages
    .slice(written + 1)
    .flatMap((message) => (message.role === "event" ? [message.extra.event] : []))
    .filter(({ source, data }) => source === "approval" || data.planVersion !== undefined)
    .map(({ data }) => data.approved !== false);
  return (
    said.includes(true) ||
    messages[written]?.mode === "auto" ||
    (said.length === 0 && messages[written]?.mode === "plan")
  );
}

/** Whether the message says that the person approved a plan, to begin it or to hold it. */
export function isApproval(message: Message): boolean {
  if (message.role !== "event") return false;
  const { source, data } = message.extra.event;
  return source === "approval" || (data.planVersion !== undefined && data.approved === true);
}
