// Decisions on the calls of one answer that wait: kept until none is missing, then one input. Pure.
import type { Permission } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { Draft } from "../storage/draft.ts";

export type KeptDecision = Draft["decisions"][number];
type PermitWords = Extract<TurnInput, { type: "permit" }>;

/** The decision on this very call, as it reads now; undefined if none was made. */
export function decisionOn(asked: Permission, kept: Draft["decisions"]): KeptDecision | undefined {
  return kept.find(
    ({ toolCallId, arguments: json, why }) =>
      toolCallId === asked.toolCallId && json === asked.arguments && why === asked.why,
  );
}

/** The decision on a call that `input`, the turn that is under way, carries; undefined if it carries none. */
export function sentOn(
  { toolCallId }: Permission,
  input: TurnInput | undefined,
): PermitWords["decision"] | undefined {
  if (input?.type !== "permit") return undefined;
  return [input, ...(input.others ?? [])].find((sent) => sent.toolCallId === toolCallId)?.decision;
}

/** Whether a permission of `asked` for the session, or "never", decides on `other` as well: it would not be asked after it. */
export function covers(asked: Permission, other: Permission): boolean {
  if (asked.risk !== other.risk || asked.program === undefined) return false;
  if (asked.risk === "network") return true;
  // One of several commands: the others still need an answer.
  if ([asked, other].some(({ commands = [] }) => commands.length > 1)) return false;
  const { program, subcommand, only } = asked;
  return (
    other.program === program &&
    other.subcommand === subcommand &&
    other.only?.command === only?.command &&
    other.only?.cwd === only?.cwd
  );
}

/** All decisions in one input; undefined if one is missing, or a call may have run and is decided on alone. */
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
