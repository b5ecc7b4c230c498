// The news of a turn that ended while no one watched it: one line, which never contains code or the contents of a file.
import type { TurnEvent } from "../../shared/event.ts";
import { oneLine } from "../../shared/plan/plan-lines.ts";
import type { News, NewsAsk } from "../../shared/push.ts";
import { markBegin } from "../../shared/redact/scan.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { titleFrom } from "../../shared/session/title.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { hiddenIn, visibleText } from "../../shared/visible-text.ts";
import { parseRecord } from "../model/json-value.ts";

/** The length up to which phones show a notification without opening it. */
const maxLineChars = 140;
/** A longer label would be cut off on a button. */
const maxLabelChars = 20;

/** The news in all of a turn's events, in order. undefined = no one needs to be notified. */
export function newsOf(request: TurnRequest, events: readonly TurnEvent[]): News | undefined {
  const said = kindAndLine(events);
  if (!said) return undefined;
  const { sandboxId, turnId } = request;
  // A lock screen draws any character, so invisible ones are marked here too.
  const line = cut(visibleText(oneLine(said.line), "line"));
  return { sandboxId, turnId, title: titleOf(request), ...said, line };
}

/** The news of a turn that has run for `minutes` without anyone watching. */
export function runningNews(request: TurnRequest, minutes: number): News {
  const { sandboxId, turnId } = request;
  const line = `Still running after ${plural(minutes, "minute")}.`;
  return { kind: "running", sandboxId, turnId, title: titleOf(request), line };
}

function kindAndLine(events: readonly TurnEvent[]): Pick<News, "kind" | "line" | "ask"> | undefined {
  const end = events.at(-1);
  if (end?.event === "turn.failed") return { kind: "failure", line: end.data.error.message };
  if (end?.event !== "turn.done") return undefined;
  const { reason, steps } = end.data;
  if (reason === "stopped") return undefined;
  if (reason === "questions") return { kind: "questions", ...questionWords(events) };
  if (reason === "proposed") return { kind: "proposal", line: planLine(events) };
  if (reason === "permission") return { kind: "permission", ...permissionWords(events) };
  if (reason === "continue")
    return { kind: "end", line: "Paused: it has used what one turn may use. Open it to continue." };
  if (steps) return { kind: "end", line: `Stopped after ${steps.over} of ${steps.total} steps.` };
  return { kind: "end", line: "Done." };
}

/** The question, and the decision that can be made in the notification: only if the line shows everything. */
interface Words {
  line: string;
  ask?: NewsAsk;
}

function questionWords(events: readonly TurnEvent[]): Words {
  const batch = lastOf(events, "questions");
  const asked = batch?.questions ?? [];
  const [first] = asked;
  const prompt = oneLine(first?.prompt ?? "It asks you something.");
  if (asked.length > 1) {
    const more = ` (and ${asked.length - 1} more)`;
    return { line: `${cut(prompt, maxLineChars - more.length)}${more}` };
  }
  const options = labelsOf(first);
  const line = oneLine(`${batch?.summary ?? ""}\n${prompt}\n${options.join(" or ")}`);
  const isWhole = batch !== undefined && !batch.details?.length && options.length > 0;
  const isSeen = line.length <= maxLineChars && visibleText(line, "line") === line;
  if (!isWhole || !isSeen || line.includes(markBegin)) return { line: prompt };
  return { line, ask: { toolCallId: batch.toolCallId, options } };
}

/** The labels of one or two options if they say everything; otherwise none. */
function labelsOf(question: EventData<"questions">["questions"][number] | undefined): string[] {
  const options = question?.type === "single_select" ? (question.options ?? []) : [];
  const isShort = options.every(
    ({ label, description }) =>
      !description && label.length <= maxLabelChars && label === oneLine(label) && label !== "",
  );
  return isShort && options.length <= 2 ? options.map(({ label }) => label) : [];
}

function planLine(events: readonly TurnEvent[]): string {
  const goal = lastOf(events, "plan")?.plan.goal;
  return goal ? `Plan to approve: ${oneLine(goal)}` : "There is a plan to approve.";
}

/** A command is shown only if it is one short line without invisible characters; any other can be read in the app. */
function permissionWords(events: readonly TurnEvent[]): Words {
  const [asked, ...others] = events.flatMap(({ event, data }) => (event === "permission" ? [data] : []));
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  const { command, timeoutMs: _, ...rest } = parseRecord(asked?.arguments ?? "") ?? {};
  if (asked?.name !== "run_command") return { line: `It asks for your permission.${more}` };
  const isShort = typeof command === "string" && command.length <= maxLineChars / 2 && isPlainLine(command);
  if (!isShort) return { line: `May it run a command?${more}` };
  // The line must show everything that is decided. It cannot show that the call may have run already, nor a folder
  // or other arguments.
  const isWhole =
    more === "" &&
    asked.risk !== "outcome_unknown" &&
    Object.keys(rest).length === 0 &&
    command === oneLine(command) &&
    !command.includes(markBegin);
  const ask = isWhole ? { ask: { toolCallId: asked.toolCallId, command } } : {};
  const what = asked.risk === "network" ? "May this use the network?" : "May it run this?";
  return { line: `${what} ${command}${more}`, ...ask };
}

function isPlainLine(command: string): boolean {
  return !/[\n\t]| {2}/.test(command) && hiddenIn(command).length === 0;
}

type EventName = TurnEvent["event"];
type EventData<N extends EventName> = Extract<TurnEvent, { event: N }>["data"];

function lastOf<N extends EventName>(events: readonly TurnEvent[], name: N): EventData<N> | undefined {
  return events.findLast(({ event }) => event === name)?.data as EventData<N> | undefined;
}

function titleOf({ messages, input }: TurnRequest): string {
  const first = messages.find((message) => message.role === "user");
  const text = first ? first.content : input.type === "message" ? input.text : "Handrail";
  return visibleText(titleFrom(text), "line");
}

function cut(text: string, chars = maxLineChars): string {
  const line = oneLine(text);
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`;
}
