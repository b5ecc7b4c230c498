// A client written from PROTOCOL alone. It keeps history, plan and mode from the events, and posts one turn
// after another.
import type { DurableEvent, TurnEvent } from "../../shared/event.ts";
import type { Message, ToolMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { TurnRequestInput } from "../../shared/turn.ts";
import { collect, eventsOf, postTurn, type Target } from "./sse.ts";

let turns = 0;

export class Conversation {
  readonly target: Target;
  readonly sandboxId: string;
  messages: Message[] = [];
  plan: Plan | null = null;
  mode: Mode;
  /** Every event of every turn, in order. */
  readonly events: TurnEvent[] = [];
  options: TurnRequestInput["options"];
  /** Headers added to every request. */
  headers: Record<string, string> = {};

  constructor(target: Target, sandboxId: string, mode: Mode = "normal") {
    this.target = target;
    this.sandboxId = sandboxId;
    this.mode = mode;
  }

  /** The body of the next turn, in the form of a client. */
  body(input: TurnRequestInput["input"], more: Partial<TurnRequestInput> = {}): TurnRequestInput {
    turns += 1;
    return {
      protocol: 1,
      turnId: `t${process.pid}-${turns}`,
      attempt: 1,
      after: 0,
      sandboxId: this.sandboxId,
      mode: this.mode,
      messages: this.messages,
      plan: this.plan,
      input,
      ...(this.options ? { options: this.options } : {}),
      ...more,
    };
  }

  /** Runs one turn to its end and applies its events. */
  async turn(input: TurnRequestInput["input"], more: Partial<TurnRequestInput> = {}): Promise<TurnEvent[]> {
    const events = await collect(
      eventsOf(await postTurn(this.target, this.body(input, more), undefined, this.headers)),
    );
    for (const event of events) this.keep(event);
    return events;
  }

  say(text: string): Promise<TurnEvent[]> {
    return this.turn({ type: "message", text });
  }

  approve(mode: "normal" | "auto" = "normal"): Promise<TurnEvent[]> {
    const { planVersion, planHash } = dataOf(this.events, "proposal");
    return this.turn({ type: "approve", planVersion, planHash, mode });
  }

  keep(event: TurnEvent): void {
    this.events.push(event);
    if (event.event === "turn.started") this.mode = event.data.mode;
    if (event.event === "mode") this.mode = event.data.to;
    if (event.event === "message") this.messages = [...this.messages, event.data.message];
    if (event.event === "plan") this.plan = event.data.plan;
    if (event.event === "step" && this.plan) {
      const { stepId, ...change } = event.data;
      this.plan = {
        ...this.plan,
        steps: this.plan.steps.map((step) =>
          step.id === stepId ? ({ ...step, ...change } as typeof step) : step,
        ),
      };
    }
  }

  /** The last result of a tool. */
  result(name: string): ToolMessage {
    const found = this.messages.findLast((message) => message.role === "tool" && message.name === name);
    if (found?.role !== "tool") throw new Error(`no result of ${name}`);
    return found;
  }
}

type DataOf<N extends TurnEvent["event"]> = Extract<TurnEvent, { event: N }>["data"];

/** The data of the last event with that name. */
export function dataOf<N extends TurnEvent["event"]>(events: readonly TurnEvent[], name: N): DataOf<N> {
  const found = events.findLast((event) => event.event === name);
  if (!found) throw new Error(`no event ${name} among ${events.map((event) => event.event).join(", ")}`);
  return found.data as DataOf<N>;
}

export function durable(events: readonly TurnEvent[]): DurableEvent[] {
  return events.filter((event): event is DurableEvent => "id" in event);
}

/** Names of the durable events, in order. */
export function names(events: readonly TurnEvent[]): string[] {
  return durable(events).map((event) => event.event);
}
