// Derives a session's subject and what it waits for from its journaled events, for the list and for a device
// that opens it for the first time. A pure fold, like plan-facts.ts. It copies fields of events without
// parsing them; parsing is the edge's task.
import type { JournalEvent } from "../../shared/event.ts";
import type { SessionRow } from "../../shared/history.ts";
import { isRecord } from "../../shared/is-record.ts";

/** Characters of a message or goal that the row keeps: enough for a title. */
const rowChars = 300;

/** A SessionRow as it was journaled. Only the edge interprets it. */
export type RowFacts = { -readonly [K in keyof SessionRow]: unknown };

export const emptyRow: SessionRow = { said: "", goal: "", mode: "normal", stage: "new", updatedAt: 0 };

export class SessionFacts {
  readonly row: RowFacts = { ...emptyRow };
  /**
   * The events that make up the current state, in order: the plan and its steps, open questions, the newest
   * turn.
   */
  now: JournalEvent[] = [];

  /** Applies an event. `compacted`: its turn no longer tells how its questions were answered. */
  event(journaled: JournalEvent, at: number, compacted: boolean): void {
    const { event, data } = journaled;
    if (!isRecord(data)) return;
    const { row } = this;
    switch (event) {
      case "turn.started":
        this.drop(["turn.started", "mode", "turn.done", "turn.failed"]);
        Object.assign(row, { mode: data.mode, stage: "running", updatedAt: at });
        break;
      case "mode":
        row.mode = data.to;
        break;
      case "plan":
        this.drop(["plan", "step"]);
        if (isRecord(data.plan)) row.goal = beginningOf(data.plan.goal);
        break;
      case "proposal":
      case "questions":
        this.drop([event]);
        break;
      case "permission":
        this.#close(data.toolCallId);
        break;
      case "turn.done":
      case "turn.failed":
        Object.assign(row, { stage: data.reason ?? "failed", updatedAt: at });
        break;
      case "message":
        this.#message(data.message);
        return;
      case "ledger":
        return;
    }
    if (!compacted || (event !== "questions" && event !== "permission")) this.now.push(journaled);
  }

  #message(message: unknown): void {
    if (!isRecord(message)) return;
    const { role, content, toolCallId, extra } = message;
    if (role === "user") this.row.said ||= beginningOf(content);
    this.#close(toolCallId);
    const about = isRecord(extra) ? extra.event : undefined;
    if (isRecord(about) && about.subkind === "tool_decision" && isRecord(about.data))
      this.#close(about.data.toolCallId);
  }

  drop(names: readonly string[]): void {
    this.now = this.now.filter(({ event }) => !names.includes(event));
  }

  /** The call needs no answer any more. */
  #close(callId: unknown): void {
    if (callId === undefined) return;
    const asks = ({ event, data }: JournalEvent) =>
      (event === "questions" || event === "permission") && isRecord(data) && data.toolCallId === callId;
    this.now = this.now.filter((event) => !asks(event));
  }
}

function beginningOf(text: unknown): string {
  return typeof text === "string" ? text.slice(0, rowChars) : "";
}
