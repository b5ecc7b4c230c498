// The input `hooks`: the person allows the project's hooks in their current form. The question and its answer are
// journaled together, so this grant is like any other: it exists only in the sandbox's journal, it can be revoked, and
// no import contains it.
import { HandrailError } from "../../shared/errors.ts";
import { type HookTime, hooksGrant, type ProjectHooks } from "../../shared/hooks.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { openCalls } from "../calls/open-calls.ts";
import { asMessage, type InputEffect } from "../inputs/messages.ts";

const times: Record<HookTime, string> = {
  beforeTurn: "before a turn",
  afterTurn: "after a turn",
  beforeStep: "before a step",
  afterStep: "after a step",
  beforeChange: "before a change",
  afterChange: "after a change",
};

/** `hooks`: those in the file now. Throws `stale_plan` if the person saw others. */
export function allowHooks(
  { turnId, mode, messages }: TurnRequest,
  hash: string,
  hooks: ProjectHooks | undefined,
  now: number,
): InputEffect {
  if (hooks?.hash !== hash)
    throw new HandrailError(
      "stale_plan",
      "These are not the hooks that the project has now. Look at them again.",
    );
  const toolCallId = `${turnId}.hooks`;
  const lines = hooks.hooks.map(({ when, command }) => `- ${times[when]}: ${command}`);
  const grant = hooksGrant(hash);
  const event = {
    subkind: "tool_decision",
    source: "person",
    data: { decision: "session", toolCallId, tool: "hooks", ...grant },
  };
  const content = [
    "The person allowed the project's hooks, which run by themselves from the next turn on:",
    ...lines,
  ].join("\n");
  return {
    messages: [],
    // Another call may be waiting for the person; it keeps waiting.
    keeps: openCalls(messages)?.ordinals ?? [],
    after: [
      {
        event: "permission",
        data: {
          ...{ toolCallId, name: "hooks", arguments: JSON.stringify({ hash }), ...grant },
          why: "The project's hooks run by themselves, without a question.",
          commands: hooks.hooks.map(({ command }) => command),
        },
      },
      asMessage({ id: toolCallId, role: "event", content, createdAt: now, mode, extra: { event } }),
      { event: "turn.done", data: { reason: "stop", rounds: 0 } },
    ],
    resolves: `call:${toolCallId}`,
    prelude: { kind: "ends" },
  };
}
