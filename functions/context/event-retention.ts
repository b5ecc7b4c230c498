// How long the model is shown hidden events, by subkind (the table of PROTOCOL 2). Pure.

import { exploreSubkind } from "../../shared/explore.ts";
import type { EventMessage, Message } from "../../shared/message.ts";

/**
 * `recent`: dropped once 20 user messages have followed (the table's "dropped on age" and "recent window"). `last`: the
 * last 8 of that subkind. `always`: plans' updates. `anchor`: dropped only when compaction finds nothing else to drop.
 */
export type Retention = "recent" | "last" | "always" | "anchor";

/** Source of summaries that a model wrote; they are shown inside a digest, never separately. */
export const summarySource = "model_summary";

const recentUserMessages = 20;
const lastKept = 8;

const retentions: ReadonlyMap<string, Retention> = new Map([
  ["plan_delta", "always"],
  ["mode_switch", "recent"],
  // The model reads the helper's report instead; these are kept for the person and for replays.
  [exploreSubkind, "recent"],
  ["tick", "recent"],
  ["cron_fire", "last"],
  ["ide_callback", "recent"],
  ["process_completed", "last"],
  ["tool_decision", "recent"],
  ["verifier_report", "recent"],
]);

/** How long an event is shown; unknown subkinds are anchors. */
export function retentionOf(message: EventMessage): Retention {
  const { subkind, source, data } = message.extra.event;
  // The text of a command that the person called. By the time that it expires, its task is done.
  if (source === "project_command") return "recent";
  if (subkind === "tool_decision" && data.decision === "session") return "always";
  return retentions.get(subkind) ?? "anchor";
}

/**
 * Tells, message by message, which events have expired. The last change of mode stays as long as it contains the
 * planning instruction, or the project's instructions for that mode, which then appear nowhere else.
 */
export class Ages {
  /** Events after each of the last user messages; those before all of them come first. */
  readonly #recent: EventMessage[][] = [[]];
  readonly #last = new Map<string, EventMessage[]>();
  /** The last change of mode, if it contains such instructions. */
  #instructing: EventMessage | undefined;
  /** Whether `#instructing` is older than the usual limit: then the next mode switch removes it. */
  #overdue = false;

  /** The events that are no longer shown after `message`. */
  after(message: Message): EventMessage[] {
    if (message.role === "user") {
      this.#recent.push([]);
      const past = this.#recent.length > recentUserMessages ? (this.#recent.shift() ?? []) : [];
      this.#overdue ||= past.some((old) => old === this.#instructing);
      return past.filter((old) => old !== this.#instructing);
    }
    if (message.role !== "event") return [];
    const retention = retentionOf(message);
    const { subkind } = message.extra.event;
    const past: EventMessage[] = [];
    if (subkind === "mode_switch") {
      if (this.#instructing && this.#overdue) past.push(this.#instructing);
      this.#instructing = instructs(message) ? message : undefined;
      this.#overdue = false;
    }
    if (retention === "recent") this.#recent.at(-1)?.push(message);
    if (retention === "last") {
      const last = this.#last.get(subkind) ?? [];
      this.#last.set(subkind, last);
      if (last.push(message) > lastKept) past.push(...last.splice(0, 1));
    }
    return past;
  }
}

/** The newest mode switch, if it contains instructions: for planning, or the project's for that mode. */
export function instructingSwitch(history: readonly Message[]): EventMessage | undefined {
  const last = history.findLast(
    (message): message is EventMessage =>
      message.role === "event" && message.extra.event.subkind === "mode_switch",
  );
  return last && instructs(last) ? last : undefined;
}

function instructs({ content, extra }: EventMessage): boolean {
  const { to, rules } = extra.event.data;
  return rules === true || (to === "plan" && content.includes("\n\n"));
}
