// A decision that was tapped on a notification. It is stored before anything is sent, so that it is neither lost nor
// made twice.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";

/** `given` means that it was sent, or came too late; it is kept so that a second tap finds it. */
export const KeptAnswer = z.object({
  sessionId: z.string(),
  /** The turn that asked, because a model may use the id of a call twice. */
  turnId: z.string(),
  toolCallId: z.string(),
  /** The words on the button that was tapped. */
  label: z.string(),
  answer: z.union([
    z.object({ decision: z.enum(["once", "deny"]), command: z.string() }),
    z.object({ options: z.array(z.string()), picked: z.number() }),
  ]),
  state: z.enum(["kept", "given"]),
});
export type KeptAnswer = z.infer<typeof KeptAnswer>;

const prefix = "answer/";

function answerKey(sessionId: string): string {
  return `${prefix}${sessionId}`;
}

/**
 * Stores the answer unless its question already has one, and returns whether it did. Answers to a session's earlier
 * questions are removed.
 */
export async function keepAnswer(kv: Kv, answer: KeptAnswer): Promise<boolean> {
  let isFirst = false;
  await kv.update(answerKey(answer.sessionId), (old) => {
    const before = parsed(old);
    isFirst = before === undefined || !isSameAsked(before, answer);
    return isFirst ? answer : old;
  });
  return isFirst;
}

export async function settleAnswer(kv: Kv, answer: KeptAnswer): Promise<void> {
  await kv.update(answerKey(answer.sessionId), (old) => {
    const kept = parsed(old);
    return kept && isSameAsked(kept, answer) ? { ...kept, state: "given" } : old;
  });
}

/** Returns whether it still has to be given. */
export async function isKept(kv: Kv, answer: KeptAnswer): Promise<boolean> {
  const kept = parsed(await kv.get(answerKey(answer.sessionId)));
  return kept !== undefined && kept.state === "kept" && isSameAsked(kept, answer);
}

/** The answers that still have to be given. */
export async function listAnswers(kv: Kv): Promise<KeptAnswer[]> {
  const all = (await kv.range(prefix)).flatMap(([, value]) => parsed(value) ?? []);
  return all.filter(({ state }) => state === "kept");
}

function parsed(stored: unknown): KeptAnswer | undefined {
  const answer = z.safeParse(KeptAnswer, stored);
  return answer.success ? answer.data : undefined;
}

function isSameAsked(a: KeptAnswer, b: KeptAnswer): boolean {
  return a.turnId === b.turnId && a.toolCallId === b.toolCallId;
}
