// Permission gates: which calls wait for the person, and what they are told.
import type { Risk } from "../../shared/event.ts";
import type { ExactCommand } from "../../shared/grant.ts";
import type { CallResult, OpName } from "../../shared/sandbox.ts";
import { type CommandRisk, risksToAsk } from "../command-risk/permissions.ts";
import { personAsksForCommits } from "./asked-commits.ts";
import type { PendingCall, Waits } from "./prepared.ts";
import type { ToolTurn } from "./tool-turn.ts";

/** A risk of one of the commands. */
export type AskedRisk = Pick<CommandRisk, "why" | "program" | "subcommand" | "only"> & {
  risk: Risk;
  command: string;
};

const changing: ReadonlySet<OpName> = new Set<OpName>(["exec", "change", "restore"]);

/**
 * The permission that `commands` need in this mode, where the person has not given it. Only the sandbox's journal says
 * what was given: the posted history grants nothing. One question covers all commands, since a call is decided once.
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
  const reasons = found.map(({ command, why }) => (named ? `The checkpoint \`${command}\`: ${why}` : why));
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
 * The question to the person if it is not known whether `op` changed anything.
 * `checkpoint`: the command, where the call itself names none.
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
