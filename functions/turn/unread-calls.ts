// Answers that hold what looks like a call and was not run, or that only claim a change: the model is told, and the turn
// goes on. What finds them is loaded only where an answer may be one.
import type { AssistantMessage, Message, ToolMessage } from "../../shared/message.ts";
import { limits } from "../limits.ts";
import { mending } from "../model/text-form.ts";
import { fewTools, isPlanned, offeredTools, shownTools, toolNames } from "../tools/tool-index.ts";
import type { Turn } from "./turn.ts";

const source = "unread_call";

/**
 * Notes what was not run, with an example of a call. True where the model is to answer again: at most
 * `limits.unreadAnswers` times a turn. The words of the last note are for the person too, and the turn ends with them.
 * `beside`: the answer made other calls, so that the turn goes on in any case.
 */
export async function tellUnread(turn: Turn, message: AssistantMessage, beside = false): Promise<boolean> {
  const { env, state } = turn;
  const { content, finish, id, createdAt } = message;
  const form = state.toolProtocol;
  if (!env.context.unread || finish === "content_filter" || content.trim() === "") return false;
  if (form === "native" && (beside || ![...toolNames].some((name) => content.includes(name)))) return false;
  const own = state.history.slice(env.request.messages.length);
  const told = own.filter(isTold).length;
  if (told > limits.unreadAnswers) return false;
  const { unreadAnswer } = await mending();
  const offered = offeredTools(state.mode, env.request.options.readOnlyTools);
  const shown = shownTools(
    offered,
    isPlanned(state.mode, state.plan, state.history),
    state.history,
    env.request.options.deliver,
    !!env.request.options.explore,
  );
  const last = own.findLast(isAct);
  const words = unreadAnswer(content, {
    form,
    offered: form === "text" && env.model.small ? fewTools(shown) : shown,
    known: new Set(toolNames),
    acted: last?.ok === true,
    refused: last && refusedPath(last),
    planning: state.mode === "plan",
    beside,
    told,
  });
  if (words === undefined) return false;
  // After calls that ran, the turn continues anyway, so this does not count as a reminder.
  turn.note({
    id: `${id}.${beside ? "beside" : "unread"}`,
    at: createdAt,
    subkind: "system_notice",
    source,
    content: words,
  });
  return told < limits.unreadAnswers;
}

function isTold(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === source && message.id.endsWith(".unread");
}

const acting: ReadonlySet<string> = new Set(["edit_file", "write_file", "run_command"]);

function isAct(message: Message): message is ToolMessage {
  return message.role === "tool" && acting.has(message.name);
}

/** The file of a change that was rejected; a call that the person denied is none. */
function refusedPath({ ok, name, content }: ToolMessage): string | undefined {
  const [, path] = /^REJECTED, nothing written to (.+?)(?: \(\d+ problems\))?\.$/m.exec(content) ?? [];
  return ok ? undefined : (path ?? (content.startsWith(`error: ${name}: `) ? "the file" : undefined));
}
