// What a person is told of a turn that ended while nobody watched: one line, never code, never the contents of a file.
import type { TurnEvent } from "../../shared/event.ts";
import { oneLine } from "../../shared/plan/plan-lines.ts";
import type { News } from "../../shared/push.ts";
import { titleFrom } from "../../shared/session/title.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { parseRecord } from "../model/json-value.ts";

/** What phones show of a notification before it has to be opened. */
const maxLineChars = 140;

/** Of a turn's events in order, the last one included. undefined = nobody has to be called. */
export function newsOf(request: TurnRequest, events: readonly TurnEvent[]): News | undefined {
  const said = kindAndLine(events);
  if (!said) return undefined;
  const { sandboxId, turnId } = request;
  return { kind: said.kind, sandboxId, turnId, title: titleOf(request), line: cut(said.line) };
}

function kindAndLine(events: readonly TurnEvent[]): Pick<News, "kind" | "line"> | undefined {
  const end = events.at(-1);
  if (end?.event === "turn.failed") return { kind: "failure", line: end.data.error.message };
  if (end?.event !== "turn.done") return undefined;
  const { reason, steps } = end.data;
  if (reason === "stopped") return undefined;
  if (reason === "questions") return { kind: "questions", line: questionLine(events) };
  if (reason === "proposed") return { kind: "proposal", line: planLine(events) };
  if (reason === "permission") return { kind: "permission", line: permissionLine(events) };
  if (reason === "continue")
    return { kind: "end", line: "Paused: it has used what one turn may use. Open it to go on." };
  if (steps) return { kind: "end", line: `Stopped after ${steps.over} of ${steps.total} steps.` };
  return { kind: "end", line: "Done." };
}

function questionLine(events: readonly TurnEvent[]): string {
  const asked = lastOf(events, "questions")?.questions ?? [];
  const more = asked.length > 1 ? ` (and ${asked.length - 1} more)` : "";
  return `${cut(oneLine(asked[0]?.prompt ?? "It asks you something."), maxLineChars - more.length)}${more}`;
}

function planLine(events: readonly TurnEvent[]): string {
  const goal = lastOf(events, "plan")?.plan.goal;
  return goal ? `Plan to approve: ${oneLine(goal)}` : "There is a plan to approve.";
}

/** A command is shown where it is one short line: a longer one is read whole in the app. */
function permissionLine(events: readonly TurnEvent[]): string {
  const asked = lastOf(events, "permission");
  const command = parseRecord(asked?.arguments ?? "")?.command;
  if (typeof command === "string" && command.length <= maxLineChars / 2 && !command.includes("\n"))
    return `May it run this? ${command}`;
  return asked?.name === "run_command" ? "May it run a command?" : "It asks for your permission.";
}

type EventName = TurnEvent["event"];
type EventData<N extends EventName> = Extract<TurnEvent, { event: N }>["data"];

function lastOf<N extends EventName>(events: readonly TurnEvent[], name: N): EventData<N> | undefined {
  return events.findLast(({ event }) => event === name)?.data as EventData<N> | undefined;
}

function titleOf({ messages, input }: TurnRequest): string {
  const first = messages.find((message) => message.role === "user");
  if (first) return titleFrom(first.content);
  return input.type === "message" ? titleFrom(input.text) : "Handrail";
}

function cut(text: string, chars = maxLineChars): string {
  const line = oneLine(text);
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`;
}
