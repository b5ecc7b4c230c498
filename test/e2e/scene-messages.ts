// Durable events for prepared turns of the fake edge: messages, calls, results, and the start of a turn.
import type { DurableDraft } from "../../shared/event.ts";
import type { Message, ToolCall } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { TurnBody } from "../../shared/session/turn-request.ts";

let clock = Date.now() - 25_000;
let count = 0;

/** Moves the clock of later messages forward. */
export function pass(ms: number): void {
  clock += ms;
}

/** The number of messages so far, for ids. */
export function messagesMade(): number {
  return count;
}

type Draft<R extends Message["role"]> = Omit<Extract<Message, { role: R }>, "id" | "createdAt" | "role">;

export function message<R extends Message["role"]>(role: R, rest: Draft<R>): DurableDraft {
  count += 1;
  clock += 400;
  const made = { id: `m${count}`, role, createdAt: clock, ...rest } as unknown;
  return { event: "message", data: { message: made as Message } };
}

export function started(body: TurnBody): DurableDraft {
  return {
    event: "turn.started",
    data: {
      turnId: body.turnId,
      mode: body.mode,
      model: { provider: "default", id: "demo" },
      toolProtocol: "native",
      format: 1,
    },
  };
}

/** A turn that accepts the person's message and answers nothing. */
export function heardOnly(body: TurnBody): DurableDraft[] {
  const { turnId, mode } = body;
  const said = { id: `${turnId}.user`, role: "user", content: "Said.", createdAt: 1, mode } as const;
  return [
    started(body),
    { event: "message", data: { message: said } },
    { event: "turn.done", data: { reason: "stop", rounds: 1 } },
  ];
}

export function call(id: string, name: string, args: object): ToolCall {
  return { id, name, arguments: JSON.stringify(args) };
}

export function assistant(mode: Mode, content: string, toolCalls: ToolCall[] = []): DurableDraft {
  return message("assistant", {
    content,
    mode,
    finish: toolCalls.length > 0 ? "tool_calls" : "stop",
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  });
}

export function result(
  mode: Mode,
  { id, name }: ToolCall,
  content: string,
  facts: Record<string, unknown> = {},
  ok = true,
): DurableDraft {
  return message("tool", {
    content,
    mode,
    toolCallId: id,
    name,
    ok,
    meta: { round: 1, maxRounds: 12, contextTokens: 41_000, budgetTokens: 100_000, facts },
  });
}
