// The input `permit`: the person's decision on a call that waits.
import { HandrailError } from "../../shared/errors.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { EventMessage, ToolCall } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { TurnInput, TurnRequest } from "../../shared/turn.ts";
import { openCalls } from "../calls/open-calls.ts";
import { parseArguments } from "../calls/parse-arguments.ts";
import { risksToAsk } from "../command-risk/permissions.ts";
import { findTool } from "../tools/tool-index.ts";
import { denialText } from "./denial-text.ts";
import type { InputEffect } from "./effect.ts";
import { resultMessage } from "./messages.ts";

type PermitInput = Extract<TurnInput, { type: "permit" }>;

interface PermitContext {
  /** The plan with a hand edit of this request installed. */
  plan: Plan | null;
  now: number;
  mayHaveRun: boolean;
}

/**
 * Allowed calls run after the opening, then their siblings; a denied one gets its result here. Throws `stale_plan` where
 * the call is no longer asked about, `invalid_request` where an edit of the plan changes what it would run.
 */
export function readPermit(
  request: TurnRequest,
  input: PermitInput,
  { plan, now, mayHaveRun }: PermitContext,
): InputEffect {
  const open = openCalls(request.messages);
  const ordinal = open?.ordinals[0] ?? -1;
  const call = open?.message.toolCalls?.[ordinal];
  if (!open || !call || call.name === "ask_user" || call.id !== input.toolCallId) {
    throw new HandrailError(
      "stale_plan",
      "This permission is no longer asked for. Look at what is asked now.",
      {
        details: call ? { toolCallId: call.id } : {},
      },
    );
  }
  const { mode } = request;
  const { name, arguments: json } = call;
  if (input.decision !== "deny" && runsOtherwise(call, request.plan, plan))
    throw new HandrailError(
      "invalid_request",
      "plan.markdown: this edit changes the checks that the call runs, and others were asked about. Decide on the call first, then send the edit.",
      { details: { field: "plan.markdown" } },
    );
  // The sandbox's journal says whether this was asked in this sandbox: the history comes from the client.
  const handed = {
    resolves: `call:${call.id}`,
    permits: {
      ...{ toolCallId: call.id, name, arguments: json, decision: input.decision },
      ...(mayHaveRun ? { mayHaveRun } : {}),
    },
  };
  const decided = decision(request, input, call, now);
  if (input.decision === "once" || input.decision === "session" || input.decision === "again") {
    return {
      messages: [decided],
      keeps: open.ordinals,
      ...handed,
      prelude: {
        kind: "resume",
        resumes: {
          message: open.message,
          from: ordinal,
          permitted: ordinal,
          ...(input.decision === "again" ? { suffix: "/again" } : {}),
        },
      },
    };
  }
  const words = input.text?.trim();
  const content =
    input.decision === "done"
      ? `The person says that this has run to its end${words ? `: ${words}` : ""}.`
      : mayHaveRun
        ? `may have run; not to be repeated${words ? `: ${words}` : ""}`
        : denialText(call, { commands: commandsOf(request.plan, name, json), reason: words });
  const own = resultMessage(call, { ok: input.decision === "done", content, at: now, mode });
  const next = open.ordinals[1];
  return {
    messages: [decided, own],
    keeps: open.ordinals,
    ...handed,
    ...(next === undefined
      ? {}
      : { prelude: { kind: "resume", resumes: { message: open.message, from: next } } }),
  };
}

/** The decision as the person and the model read it in the history. It grants nothing: only the journal's record does. */
function decision(
  request: TurnRequest,
  input: PermitInput,
  { name, arguments: json }: ToolCall,
  now: number,
): EventMessage {
  const [risk] = risksToAsk(commandsOf(request.plan, name, json), request.mode, [], cwdOf(name, json));
  return {
    id: `${request.turnId}.permit`,
    role: "event",
    content: `The person decided on ${name}: ${input.decision}.`,
    createdAt: now,
    mode: request.mode,
    extra: {
      event: {
        subkind: "tool_decision",
        source: "person",
        data: {
          decision: input.decision,
          toolCallId: input.toolCallId,
          tool: name,
          ...(risk ? { risk: risk.risk, program: risk.program, subcommand: risk.subcommand } : {}),
          ...(risk?.only ? { only: risk.only } : {}),
        },
      },
    },
  };
}

function cwdOf(name: string, json: string): string {
  const parsed = parseArguments(name, json);
  const { cwd } = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  return typeof cwd === "string" ? cwd : "";
}

/** Whether the call would run other commands with the edited plan than with the one that was asked about. */
function runsOtherwise(
  { name, arguments: json }: ToolCall,
  asked: Plan | null,
  edited: Plan | null,
): boolean {
  if (asked?.version === edited?.version) return false;
  const [before, after] = [asked, edited].map((plan) => commandsOf(plan, name, json));
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** Commands that run once the call is allowed. */
function commandsOf(plan: Plan | null, name: string, json: string): string[] {
  const parsed = parseArguments(name, json);
  return (parsed.ok && findTool(name)?.commands?.(parsed.value, plan)) || [];
}
