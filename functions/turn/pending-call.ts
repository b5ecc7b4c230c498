// One call of a message as a turn takes it up: under which key it runs, and whether the person has allowed it.
import type { AssistantMessage } from "../../shared/message.ts";
import type { PendingCall } from "../tools/prepared.ts";
import { originOfMessage } from "./state.ts";
import type { Resumption } from "./turn-context.ts";

/** `turnId`: for messages that no turn of ours has made. Undefined where the message has no such call. */
export function pendingCall(
  message: AssistantMessage,
  ordinal: number,
  { turnId, resumes }: { turnId: string; resumes?: Resumption | undefined },
): PendingCall | undefined {
  const call = message.toolCalls?.[ordinal];
  if (!call) return undefined;
  const origin = originOfMessage(message.id) ?? { turnId, round: 0 };
  const permitted = resumes?.message.id === message.id && resumes.permitted === ordinal;
  const suffix = permitted ? (resumes.suffix ?? "") : "";
  const key = `${origin.turnId}/${origin.round}/${ordinal}${suffix}`;
  return { call, key, at: message.createdAt, permitted };
}
