// Events of a day for the tests of the reducer: a plan, a question, a permission, an edit, a failed turn.
import type { DurableDraft, ToolProtocol, TurnEvent } from "../../../shared/event.ts";
import type { Mode } from "../../../shared/mode.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";

export function plan(overrides: Partial<Plan> = {}): Plan {
  const steps = ["s1", "s2"].map((id) => ({
    id,
    description: `Step ${id}`,
    actions: [],
    preconditions: [],
    postconditions: [],
    checkpoint: { command: "npm test" },
    onFail: "ask" as const,
    status: "pending" as const,
  }));
  return {
    version: 1,
    supersedes: null,
    source: "model",
    hash: "h1",
    status: "draft",
    round: 0,
    markdown: "# Goal\nGoal",
    goal: "Goal",
    steps,
    decisionPoints: [],
    checkpoints: [],
    rollback: [],
    decisions: [],
    deltas: [],
    ...overrides,
  };
}

export function started(
  turnId: string,
  mode: Mode = "normal",
  { modelId = "m", toolProtocol = "native" as ToolProtocol } = {},
): DurableDraft {
  const model = { provider: "default", id: modelId };
  return { event: "turn.started", data: { turnId, mode, model, toolProtocol, format: 1 } };
}

export function user(id: string, content: string, mode: Mode = "normal"): DurableDraft {
  return { event: "message", data: { message: { id, role: "user", content, createdAt: 1, mode } } };
}

export function assistant(
  id: string,
  content: string,
  calls: [string, string, object][] = [],
  mode: Mode = "normal",
): DurableDraft {
  const toolCalls = calls.map(([callId, name, args]) => ({
    id: callId,
    name,
    arguments: JSON.stringify(args),
  }));
  const finish = calls.length > 0 ? ("tool_calls" as const) : ("stop" as const);
  return {
    event: "message",
    data: {
      message: {
        id,
        role: "assistant",
        content,
        createdAt: 1,
        mode,
        finish,
        ...(calls.length > 0 ? { toolCalls } : {}),
      },
    },
  };
}

export function toolResult(
  toolCallId: string,
  name: string,
  facts: Record<string, unknown> = {},
  ok = true,
): DurableDraft {
  const meta = { round: 1, maxRounds: 12, contextTokens: 1, budgetTokens: 2, facts };
  return {
    event: "message",
    data: {
      message: {
        id: `r-${toolCallId}`,
        role: "tool",
        content: "done",
        createdAt: 1,
        mode: "normal",
        toolCallId,
        name,
        ok,
        meta,
      },
    },
  };
}

/** Gives drafts their ids, from 1. Ephemeral events stay unchanged. */
export function numbered(
  events: readonly (DurableDraft | Exclude<TurnEvent, { id: number }>)[],
): TurnEvent[] {
  let id = 0;
  const ephemeral = new Set([
    "text.delta",
    "reasoning.delta",
    "tool.call",
    "tool.started",
    "tool.ended",
    "tool.output",
    "model.wait",
    "context",
    "usage",
    "diagnostic",
    "interrupted",
  ]);
  return events.map((event) => {
    if (ephemeral.has(event.event)) return event as TurnEvent;
    id += 1;
    return { ...event, id } as TurnEvent;
  });
}

export const planningTurn = numbered([
  started("t1", "plan"),
  user("u1", "Plan it", "plan"),
  { event: "text.delta", data: { messageId: "a1", delta: "I " } },
  { event: "text.delta", data: { messageId: "a1", delta: "read" } },
  assistant("a1", "I read", [["c1", "read_file", { path: "a.ts" }]], "plan"),
  toolResult("c1", "read_file"),
  { event: "plan", data: { plan: plan() } },
  { event: "context", data: { tokens: 10, budget: 100, trimmed: 0 } },
  { event: "proposal", data: { planVersion: 1, planHash: "h1" } },
  { event: "turn.done", data: { reason: "proposed", rounds: 2 } },
]);

export const workingTurn = numbered([
  started("t2", "plan"),
  { event: "mode", data: { from: "plan", to: "normal", reason: "approved" } },
  user("u2", "Approved. Go ahead."),
  { event: "step", data: { stepId: "s1", status: "active", snapshot: "snap" } },
  assistant("a2", "", [
    ["c2", "edit_file", { path: "a.ts" }],
    ["c3", "run_command", { command: "npm test" }],
  ]),
  { event: "tool.call", data: { toolCallId: "c3", name: "run_command", arguments: "{}" } },
  toolResult("c2", "edit_file", { files: [{ path: "a.ts", added: 3, removed: 1, diff: "" }] }),
  { event: "tool.output", data: { toolCallId: "c3", stream: "stdout", offset: 0, text: "ok é\n" } },
  { event: "usage", data: { inputTokens: 5, outputTokens: 1, cachedTokens: 0 } },
  toolResult("c3", "run_command", { exitCode: 0 }),
  { event: "step", data: { stepId: "s1", status: "done", note: "works" } },
  { event: "diagnostic", data: { provider: "default", model: "m", kind: "json", repaired: true } },
  assistant("a3", "Done"),
  { event: "turn.done", data: { reason: "stop", rounds: 2 } },
]);
