// The label of an undo point: the person's own words, or their decision.
import { inCode } from "../../shared/session/asked-words.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import type { SessionHead } from "../../shared/session/session-state.ts";
import { permissionsOf } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import { foreignTool } from "../words/searched-tool.ts";
import { shortened } from "../words/shortened.ts";

/** This many characters are enough to recognize a message. */
const maxChars = 160;
/** This many characters are enough to recognize a command. */
const maxCommandChars = 100;

/**
 * The label of a turn that may write, at most 160 characters; undefined if it writes nothing or an earlier turn has the
 * undo point. `head` is the session's before the turn.
 */
export function undoText(input: TurnInput, head: SessionHead): string | undefined {
  const said = saidIn(input, head);
  return said === undefined ? undefined : shortened(said, maxChars);
}

function saidIn(input: TurnInput, head: SessionHead): string | undefined {
  // An approval ends plan mode.
  if (input.type === "approve") return "You approved the plan";
  if (input.type === "answers" && (input.run || head.mode !== "plan")) return "You answered";
  if (head.mode === "plan") return undefined;
  if (input.type === "message") return input.text;
  if (input.type === "permit") return decidedIn(input, head);
  return input.type === "continue" ? "You told it to go on" : undefined;
}

/** "You allowed `npm install`"; for several calls, the first one and the number of the others. */
function decidedIn(input: Extract<TurnInput, { type: "permit" }>, head: SessionHead): string {
  const asked = permissionsOf(head).find(({ toolCallId }) => toolCallId === input.toolCallId);
  const { command, path } = callArguments(asked?.arguments ?? "");
  const named = command ?? path ?? (asked && (foreignTool(asked) ?? asked.name));
  const called = named ? inCode(shortened(named, maxCommandChars)) : "a call";
  const what = asked?.risk === "plan_change" ? "a change of the plan" : called;
  const decided = input.decision === "once" || input.decision === "session" ? "allowed" : "decided on";
  const verb = input.decision === "deny" || input.decision === "never" ? "denied" : decided;
  const more = input.others?.length ?? 0;
  return `You ${verb} ${what}${more > 0 ? ` and decided on ${more} more` : ""}`;
}
