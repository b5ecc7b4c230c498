// Calls of a history that have no result yet, and the keys under which they run in the sandbox. Pure.
import * as z from "zod/mini";
import { AssistantMessage, type Message, type ToolMessage } from "../../shared/message.ts";
import type { PendingCall } from "./prepared.ts";

/** A message of an earlier turn whose open calls this turn resumes. */
export const Resumption = z.object({
  message: AssistantMessage,
  /** Ordinal of the first call that has no result yet. */
  from: z.number(),
  /** Ordinal of the call that the person has allowed. */
  permitted: z.optional(z.number()),
  /** Ordinals of later calls that the person decided on at once, allowed or with the result of a denied one. */
  alsoPermitted: z.optional(z.array(z.number())),
  denied: z.optional(z.array(z.object({ ordinal: z.number(), text: z.string() }))),
  /** Suffix of the key of the permitted call: `/again` after an unknown outcome, `/again2` after a second loss. */
  suffix: z.optional(z.string()),
});
export type Resumption = z.infer<typeof Resumption>;

/**
 * The calls without a result in the last assistant message that made calls, in call order; undefined = there
 * are none.
 */
export function openCalls(
  history: readonly Message[],
): { message: AssistantMessage; ordinals: number[] } | undefined {
  const at = history.findLastIndex(
    (message) => message.role === "assistant" && (message.toolCalls?.length ?? 0) > 0,
  );
  const message = history[at];
  if (message?.role !== "assistant") return undefined;
  const answered = new Set(
    history
      .slice(at + 1)
      .filter((later): later is ToolMessage => later.role === "tool")
      .map((later) => later.toolCallId),
  );
  const ordinals = (message.toolCalls ?? [])
    .map((_, ordinal) => ordinal)
    .filter((ordinal) => !answered.has(message.toolCalls?.[ordinal]?.id ?? ""));
  return ordinals.length > 0 ? { message, ordinals } : undefined;
}

/** Turn and round in which an assistant message was sampled; undefined for messages from elsewhere. */
export function originOfMessage(messageId: string): { turnId: string; round: number } | undefined {
  const match = /^([A-Za-z0-9_-]{1,100})\.(\d+)\./.exec(messageId);
  return match?.[1] === undefined ? undefined : { turnId: match[1], round: Number(match[2]) };
}

/**
 * One call of `message` as a turn resumes it. `turnId` is used for the key if the message was not sampled here.
 * Undefined if the message has no such call.
 */
export function pendingCall(
  message: AssistantMessage,
  ordinal: number,
  { turnId, resumes }: { turnId: string; resumes?: Resumption | undefined },
): PendingCall | undefined {
  const call = message.toolCalls?.[ordinal];
  if (!call) return undefined;
  const origin = originOfMessage(message.id) ?? { turnId, round: 0 };
  const taken = resumes?.message.id === message.id ? resumes : undefined;
  const first = taken?.permitted === ordinal;
  const permitted = first || taken?.alsoPermitted?.includes(ordinal) === true;
  const denied = taken?.denied?.find((other) => other.ordinal === ordinal)?.text;
  const suffix = first ? (taken?.suffix ?? "") : "";
  const key = `${origin.turnId}/${origin.round}/${ordinal}${suffix}`;
  return { call, key, at: message.createdAt, permitted, ...(denied === undefined ? {} : { denied }) };
}
