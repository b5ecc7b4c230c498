// Quiet markers in the transcript, for hidden events and for answers that were cut off: which are shown, and their
// words.
import { hooksFound } from "../../shared/hooks-found.ts";
import type { EventMessage, ToolCall } from "../../shared/message.ts";
import { inCode } from "../../shared/session/asked-words.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import type { CutAnswer, Entry } from "../../shared/session/session-state.ts";
import { freshInWords } from "../session/fresh-context.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { isUnreadable } from "../storage/session-store.ts";
import { foreignTool } from "../words/searched-tool.ts";
import { shortened } from "../words/shortened.ts";
import { noticeWords } from "./notice-words.ts";

export interface Note {
  text: string;
  detail: string | undefined;
  tone: "quiet" | "bad";
  /** The hash of the project's hooks, if the event is about them; their card is shown then. */
  hooks?: string;
}

/** Other rows show these, or they do not interest a person. */
const unseen = new Set(["mode_switch", "explore"]);
/** Sources of notices that are already shown in their step. */
const unseenSources = new Set(["plan_step"]);

const names: Record<string, string> = {
  plan_delta: "Plan changed",
  tick: "A tick of the clock",
  cron_fire: "A timer fired",
  ide_callback: "The editor reported",
  process_completed: "A command ended while nobody was connected",
  tool_decision: "You decided about a command",
  verifier_report: "Checked",
  summarization_marker: "Older messages are summarised for the model from here on",
  cancellation_note: "Stopped",
  system_notice: "Note",
};

const maxNoteChars = 80;
const maxCommandChars = 60;

/**
 * The marker of a hidden event: one line, and the rest after a tap; undefined if it is not shown. `decided` is the call
 * that a decision is about; `ofPlan` says that the call would have changed an approved plan.
 */
export function noteOf(message: EventMessage, decided?: ToolCall, ofPlan = false): Note | undefined {
  const { subkind, source, data } = message.extra.event;
  if (unseen.has(subkind) || unseenSources.has(source)) return undefined;
  const content = message.content
    .trim()
    .replace(/^The person says/, "You said")
    .replace(/^The person /, "You ");
  const first = content.split("\n", 1)[0] ?? "";
  const tone = data.ok === false || data.exitCode === 1 ? "bad" : "quiet";
  const named = names[subkind];
  if (data.hold === true) return { text: "You approved it, to be started later", detail: undefined, tone };
  if (source === hooksFound)
    return { text: "The project has hooks", detail: content, tone, hooks: String(data.hash) };
  if (source === "start_fresh") return { text: freshInWords(data) ?? "Started fresh", detail: content, tone };
  if (source === "plan_open") return { text: "Reminded of the open steps", detail: undefined, tone };
  if (ofPlan && subkind === "tool_decision") {
    const text =
      data.decision === "deny" ? "You kept the plan as it was" : "You approved the change of the plan";
    return { text, detail: undefined, tone };
  }
  if (subkind === "tool_decision") return { text: decision(data, decided), detail: undefined, tone };
  if (source === "model_summary") {
    return data.ok === true
      ? { text: "Summarised older messages for the model", detail: content, tone }
      : {
          text: "Older messages could not be summarised: the model has a list of facts",
          detail: undefined,
          tone: "quiet",
        };
  }
  const told = subkind === "system_notice" ? noticeWords(source, data, content) : undefined;
  if (told !== undefined) return { text: told, detail: content, tone };
  if (content === "") return { text: named ?? subkind.replaceAll("_", " "), detail: undefined, tone };
  if (subkind === "system_notice" || subkind === "verifier_report") {
    const short = first.length <= maxNoteChars;
    return {
      text: shortened(first, maxNoteChars),
      detail: short && content === first ? undefined : content,
      tone,
    };
  }
  return { text: named ?? subkind.replaceAll("_", " "), detail: content, tone };
}

/** The marker for the entries after `previous` that could not be read; undefined if they have one already. */
export function lostNote(previous: Entry | undefined): { key: string; text: string } | undefined {
  if (previous !== undefined && isUnreadable(previous)) return undefined;
  const key = previous === undefined ? "lost" : `${previous.turnId}.${previous.id}.lost`;
  return { key, text: "This part could not be read from storage" };
}

function decision(data: Record<string, unknown>, call: ToolCall | undefined): string {
  if (data.risk === "hooks") return "You allowed the project's hooks";
  const { command, path } = call === undefined ? {} : callArguments(call.arguments);
  const line = (command ?? path ?? (call && foreignTool(call)) ?? "").split("\n", 1)[0] ?? "";
  const short = shortened(line, maxCommandChars);
  const what = short === "" ? "" : ` ${inCode(short)}`;
  if (data.elsewhere !== undefined) {
    const where = data.elsewhere === "session" ? "in another session" : "on another device";
    const did = data.decision === "deny" ? "Not allowed" : "Allowed";
    return `${did} ${where}${what && `:${what}`}. It has no effect here.`;
  }
  switch (data.decision) {
    case "session":
      return `You allowed${what || " this kind of command"} for this session`;
    case "once":
      return `You allowed${what || " a command"} once`;
    case "deny":
      return `You did not allow${what || " a command"}`;
    case "again":
      return `You had${what || " a command"} run again`;
    case "done":
      return `You marked${what || " a command"} as done`;
    default:
      return names.tool_decision ?? "";
  }
}

/** `after`: the key of the entry that it follows. */
export type UndoLine = NonNullable<SessionRecord["undoLines"]>[number];

/** What no entry tells: answers that were cut off, and undos outside of a turn. */
export class CutNotes {
  #left: CutAnswer[];

  constructor(
    cuts: readonly CutAnswer[],
    private readonly undoLines: readonly UndoLine[] = [],
  ) {
    this.#left = [...cuts];
  }

  /** The undos after the entry with this key. */
  after(key: string): { key: string; text: string }[] {
    return this.undoLines.flatMap(({ after, text }, at) =>
      after === key ? { key: `undo.${at}`, text } : [],
    );
  }

  /** The notices to show before `entry`, once each. */
  before({ turnId, id }: Entry): { key: string; text: string }[] {
    return this.#take((cut) => cut.turnId === turnId && cut.after < id);
  }

  /** The notices to show at the end, if `turnId` is the last turn. */
  atEnd(turnId: string | undefined): { key: string; text: string }[] {
    return this.#take((cut) => cut.turnId === turnId);
  }

  #take(due: (cut: CutAnswer) => boolean): { key: string; text: string }[] {
    if (this.#left.length === 0) return [];
    const taken = this.#left.filter(due);
    this.#left = this.#left.filter((cut) => !due(cut));
    return taken.map(({ turnId, after, again }, index) => ({
      key: `${turnId}.${after}.cut${index}`,
      text: `An answer that had begun here was cut off and discarded.${again ? " The model was asked again." : ""}`,
    }));
  }
}
