// What a turn's first claim fixes for all its runs: numbers of its tool messages, and the calls it takes up.
import * as z from "zod/mini";
import type { DurableDraft } from "../../shared/event.ts";
import { AssistantMessage, Message } from "../../shared/message.ts";
import { Plan } from "../../shared/plan/plan-file.ts";
import type { CallResult } from "../../shared/sandbox.ts";

/**
 * Kept by the sandbox as it is. With the journal it is all that tool messages are made of, so that whoever
 * runs or ends the turn, with whatever settings, makes the same ones.
 */
export const TurnContext = z.object({
  /** Rounds that may be sampled while planning, and otherwise. */
  planRounds: z.number(),
  runRounds: z.number(),
  /** Of the model, in tokens. */
  contextWindow: z.number(),
  /** A message of an earlier turn whose calls this one takes up. */
  resumes: z.optional(
    z.object({
      message: AssistantMessage,
      /** Ordinal of the first call that has no result yet. */
      from: z.number(),
      /** Ordinal of the call that the person has allowed. */
      permitted: z.optional(z.number()),
      /** Suffix of the key under which the permitted call runs: `/again` for one whose outcome is not known. */
      suffix: z.optional(z.string()),
    }),
  ),
  /** What is true once the files are back at a step: the plan, and the notice of it but for its time. */
  rewind: z.optional(z.object({ plan: Plan, notice: Message })),
  /** The plan behind the opening, where a step of it may be rolled back. */
  plan: z.optional(Plan),
});
export type TurnContext = z.infer<typeof TurnContext>;
export type Resumption = NonNullable<TurnContext["resumes"]>;
export type Rewinding = NonNullable<TurnContext["rewind"]>;

/** Key of the call that brings the files back. */
export function rewindKey(turnId: string): string {
  return `${turnId}/0/rewind`;
}

/** What follows from that call where it has worked, for whoever goes on with the turn or ends it. */
export function rewound({
  turnId,
  context: { rewind },
  result,
}: {
  turnId: string;
  context: TurnContext;
  result(key: string): CallResult | undefined;
}): DurableDraft[] {
  const done = result(rewindKey(turnId));
  if (!rewind || !done?.ok) return [];
  return [
    { event: "plan", data: { plan: rewind.plan } },
    { event: "message", data: { message: { ...rewind.notice, createdAt: done.at } } },
  ];
}
