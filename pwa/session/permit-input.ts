// Decisions on the waiting calls of one answer. They are kept until all are made, then sent as one input. Pure.
import { callArguments } from "../../shared/session/call-facts.ts";
import type { Permission } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { Draft } from "../storage/draft.ts";

export type KeptDecision = Draft["decisions"][number];
type PermitWords = Extract<TurnInput, { type: "permit" }>;

/** The decision on exactly this call; undefined if none was made. */
export function decisionOn(asked: Permission, kept: Draft["decisions"]): KeptDecision | undefined {
  return kept.find(
    ({ toolCallId, arguments: json, why }) =>
      toolCallId === asked.toolCallId && json === asked.arguments && why === asked.why,
  );
}

/** The decision on a call in `input`, the input of the running turn; undefined if it has none. */
export function sentOn(
  { toolCallId }: Permission,
  input: TurnInput | undefined,
): PermitWords["decision"] | undefined {
  if (input?.type !== "permit") return undefined;
  return [input, ...(input.others ?? [])].find((sent) => sent.toolCallId === toolCallId)?.decision;
}

/**
 * Whether a decision on `asked` for the session, or "never", also decides `other`, which the person has not seen and
 * whose command line may do more. So except for the network and for tools, only the same command line is covered.
 */
export function covers(asked: Permission, other: Permission): boolean {
  const { risk, program, subcommand } = asked;
  if (other.risk !== risk || program === undefined) return false;
  if (risk === "network") return true;
  if (risk === "mcp") return other.program === program && other.subcommand === subcommand;
  const line = lineOf(asked);
  return line !== undefined && line === lineOf(other);
}

/** The single command that is asked about, with its folder; undefined if there are several or none. */
function lineOf({ arguments: json, commands = [] }: Permission): string | undefined {
  const { command = commands[0], cwd = "" } = callArguments(json);
  return command === undefined || commands.length > 1 ? undefined : JSON.stringify([command, cwd]);
}

/** All decisions in one input; undefined if one is missing, or if a call may have run, which is decided on alone. */
export function permitInput(asked: readonly Permission[], kept: Draft["decisions"]): PermitWords | undefined {
  const decided = asked.flatMap((one) =>
    one.risk === "outcome_unknown" ? [] : (decisionOn(one, kept) ?? []),
  );
  const [first, ...others] = decided.map(({ toolCallId, decision, text }) => ({
    toolCallId,
    decision,
    ...(text === undefined ? {} : { text }),
  }));
  if (first === undefined || decided.length < asked.length) return undefined;
  return { type: "permit", ...first, ...(others.length > 0 ? { others } : {}) };
}
