// The input `permit`: the person's decision on a call that waits.
import { HandrailError, invalidField } from "../../shared/errors.ts";
import type { Permit } from "../../shared/grant.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { EventMessage, Message, ToolCall } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { isEventOf } from "../../shared/session/history.ts";
import type { TurnInput, TurnRequest } from "../../shared/turn.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { openCalls, type Resumption } from "../calls/open-calls.ts";
import { parseArguments } from "../calls/prepared.ts";
import { risksToAsk } from "../command-risk/command-risk.ts";
import { findTool } from "../tools/tool-index.ts";
import { denialText } from "./denial-text.ts";
import { type InputEffect, resultMessage } from "./messages.ts";

type PermitInput = Extract<TurnInput, { type: "permit" }>;

interface PermitContext {
  /** The plan, with the hand edit that came in this request. */
  plan: Plan | null;
  now: number;
  mayHaveRun: boolean;
}

/**
 * Allowed calls run after the opening, then their siblings; a denied one gets its result here. Throws `stale_plan` if
 * the call is no longer asked about, `invalid_request` if an edit of the plan changes what it would run.
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
  if (!isDenied(input.decision) && runsOtherwise(call, request.plan, plan)) throw editedCheck();
  // Only the sandbox's journal tells whether this was asked: the history comes from the client.
  const handed = {
    resolves: `call:${call.id}`,
    permits: {
      ...{ toolCallId: call.id, name, arguments: json, decision: input.decision },
      ...(mayHaveRun ? { mayHaveRun } : {}),
    },
  };
  const decided = decisionMessage(request, input, call, { now, id: `${request.turnId}.permit` });
  const others = readOthers(request, input, open, { plan, now });
  if (input.decision === "once" || input.decision === "session" || input.decision === "again") {
    return {
      messages: [decided, ...others.messages],
      keeps: open.ordinals,
      ...handed,
      ...others.handed,
      prelude: {
        kind: "resume",
        resumes: {
          message: open.message,
          from: ordinal,
          permitted: ordinal,
          ...others.resumes,
          ...(input.decision === "again" ? { suffix: againSuffix(request.messages, call) } : {}),
        },
      },
    };
  }
  const words = input.decision === "never" ? noNetwork : input.text?.trim();
  const content =
    input.decision === "done"
      ? `The person says that this ran and finished${words ? `: ${words}` : ""}.`
      : mayHaveRun
        ? `may have run; not to be repeated${words ? `: ${words}` : ""}`
        : denialText(call, {
            commands: commandsOfCall(request.plan, name, json),
            reason: words,
            plan: request.plan,
          });
  const own = resultMessage(call, { ok: input.decision === "done", content, at: now, mode });
  const next = open.ordinals[1];
  return {
    messages: [decided, own, ...others.messages],
    keeps: open.ordinals,
    ...handed,
    ...others.handed,
    ...(next === undefined
      ? {}
      : { prelude: { kind: "resume", resumes: { message: open.message, from: next, ...others.resumes } } }),
  };
}

/** Why it was denied if the person does not want to be asked again. */
const noNetwork =
  "commands get no network in this session, and the person is not asked for it again. Do without it";

/** A repeated run that was lost has used its key, so each further run gets a key of its own. */
function againSuffix(history: readonly Message[], { id }: ToolCall): string {
  const before = history.filter((message) => {
    if (!isEventOf(message, "tool_decision")) return false;
    const { toolCallId, decision } = message.extra.event.data;
    return toolCallId === id && decision === "again";
  }).length;
  return before === 0 ? "/again" : `/again${before + 1}`;
}

interface Others {
  messages: EventMessage[];
  handed: Pick<InputEffect, "alsoPermits">;
  resumes: Pick<Resumption, "alsoPermitted" | "denied">;
}

/** Decisions on later calls of the same answer: in their order, each runs or gets its denial as the result. */
function readOthers(
  request: TurnRequest,
  { others = [] }: PermitInput,
  open: NonNullable<ReturnType<typeof openCalls>>,
  { plan, now }: { plan: Plan | null; now: number },
): Others {
  const messages: EventMessage[] = [];
  const alsoPermits: Permit[] = [];
  const alsoPermitted: number[] = [];
  const denied: { ordinal: number; text: string }[] = [];
  for (const [index, other] of others.entries()) {
    const ordinal = open.ordinals
      .slice(1)
      .find((at) => open.message.toolCalls?.[at]?.id === other.toolCallId);
    const call = ordinal === undefined ? undefined : open.message.toolCalls?.[ordinal];
    if (
      ordinal === undefined ||
      !call ||
      call.name === "ask_user" ||
      alsoPermits.some(({ toolCallId }) => toolCallId === call.id)
    )
      throw invalidField(
        "input.others",
        `${JSON.stringify(other.toolCallId)} is not another open call of this answer. Send each call once, and only calls that wait`,
      );
    if (!isDenied(other.decision) && runsOtherwise(call, request.plan, plan)) throw editedCheck();
    const { id: toolCallId, name, arguments: json } = call;
    messages.push(decisionMessage(request, other, call, { now, id: `${request.turnId}.permit${index + 2}` }));
    alsoPermits.push({ toolCallId, name, arguments: json, decision: other.decision });
    if (!isDenied(other.decision)) alsoPermitted.push(ordinal);
    else {
      const reason = other.decision === "never" ? noNetwork : other.text?.trim();
      denied.push({
        ordinal,
        text: denialText(call, {
          commands: commandsOfCall(request.plan, name, json),
          reason,
          plan: request.plan,
        }),
      });
    }
  }
  return {
    messages,
    handed: alsoPermits.length > 0 ? { alsoPermits } : {},
    resumes: {
      ...(alsoPermitted.length > 0 ? { alsoPermitted } : {}),
      ...(denied.length > 0 ? { denied } : {}),
    },
  };
}

function isDenied(decision: PermitInput["decision"]): boolean {
  return decision === "deny" || decision === "never";
}

function editedCheck(): HandrailError {
  return invalidField(
    "plan.markdown",
    "this edit changes the checks that the call runs, and others were asked about. Decide on the call first, then send the edit",
  );
}

/** The decision as the person and the model read it in the history. It grants nothing: only the journal's record does. */
function decisionMessage(
  request: TurnRequest,
  input: Pick<PermitInput, "toolCallId" | "decision">,
  { name, arguments: json }: ToolCall,
  { now, id }: { now: number; id: string },
): EventMessage {
  const [risk] = risksToAsk(commandsOfCall(request.plan, name, json), request.mode, [], cwdOf(json), false);
  return {
    id,
    role: "event",
    content: decisionText(meantTool(name, json), input.decision),
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

/** A tool of an MCP server may be called through `call_tool`. The permission is for that tool, not for `call_tool`. */
function meantTool(name: string, json: string): string {
  const args = parseArguments(json);
  const meant = args.ok && isRecord(args.value) ? args.value.name : undefined;
  return name === "call_tool" && typeof meant === "string" ? visibleText(meant.slice(0, 200), "line") : name;
}

/** These words do not say whether it ran; its result does. */
function decisionText(name: string, decision: PermitInput["decision"]): string {
  switch (decision) {
    case "once":
      return `The person allowed this one call of ${name}. They are asked again about the next call that needs it.`;
    case "session":
      return `The person allowed this call of ${name}, and others like it until the session ends.`;
    case "again":
      return `The person had this call of ${name} run once more.`;
    case "done":
      return `The person says that this call of ${name} ran and finished.`;
    case "never":
      return `The person did not allow the network for this call of ${name}. They are not asked for it again in this session.`;
    case "deny":
      return `The person did not allow this call of ${name}.`;
  }
}

function cwdOf(json: string): string {
  const parsed = parseArguments(json);
  const { cwd } = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  return typeof cwd === "string" ? cwd : "";
}

/** Whether the edited plan would make the call run other commands than the ones asked about. */
function runsOtherwise(
  { name, arguments: json }: ToolCall,
  asked: Plan | null,
  edited: Plan | null,
): boolean {
  if (asked?.version === edited?.version) return false;
  const [before, after] = [asked, edited].map((plan) => commandsOfCall(plan, name, json));
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** Commands that run once the call is allowed. */
function commandsOfCall(plan: Plan | null, name: string, json: string): string[] {
  const parsed = parseArguments(json);
  return (parsed.ok && findTool(name)?.commands?.(parsed.value, plan)) || [];
}
