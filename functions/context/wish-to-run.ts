// "Answer and run" (PROTOCOL 8) of an earlier turn: read off the history, for the turns that go on with its work. Pure.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { isMarker } from "../../shared/session/history.ts";
import { RunMode } from "../../shared/turn.ts";

/**
 * How the plan is to run as soon as the answers are worked in. Undefined where the latest answers did not ask for
 * that, and behind anything else that the person did since. `before`: the wish that the last marker carries.
 */
export function wishToRun(history: readonly Message[], before: RunMode | undefined): RunMode | undefined {
  const tail = history.slice(history.findLastIndex(isMarker) + 1);
  const last = tail.findLast(isAnswerOrOtherAct);
  if (!last) return before;
  return last.role === "tool" ? z.safeParse(RunMode, last.meta?.facts?.run).data : undefined;
}

/** Answers; or what was said, a change of mode, an approval to be held, a step back. */
function isAnswerOrOtherAct(message: Message): boolean {
  if (message.role === "tool") return message.name === "ask_user" && message.ok;
  if (message.role !== "event") return message.role === "user";
  const { subkind, source } = message.extra.event;
  return subkind === "mode_switch" || source === "approval" || source === "rewind";
}
