// A review of a plan by another model (POST /api/second-opinion): the request, and the points that it returns.
import * as z from "zod/mini";
import { ModelRef } from "./event.ts";
import { SandboxId } from "./sandbox.ts";

/** People do not weigh more points than this on a phone. */
export const maxPoints = 5;
/** Limit of a plan in characters, about the size of the longest plan that Handrail creates. */
const maxChars = 60_000;

export const SecondOpinionRequest = z.strictObject({
  /** The task in the person's words. */
  task: z.optional(z.string().check(z.maxLength(maxChars))),
  /** The plan's text. */
  plan: z.string().check(z.regex(/\S/, "must not be blank"), z.maxLength(maxChars)),
  /** The steps in order: the model refers to them by number, the response by id. */
  steps: z.array(z.strictObject({ id: z.string(), description: z.string() })).check(z.maxLength(100)),
  model: z.optional(ModelRef),
  /** The plan's session. Its opinions are stored with its files, where every edge finds them. */
  sandboxId: z.optional(SandboxId),
  /** Idempotency key: a repeated request with the same key gets the same response. */
  key: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type SecondOpinionRequest = z.infer<typeof SecondOpinionRequest>;

/** A point about the step with that id, or about the whole plan. */
export const OpinionPoint = z.object({ stepId: z.optional(z.string()), text: z.string() });
export type OpinionPoint = z.infer<typeof OpinionPoint>;

/**
 * `model`: the one that gave the opinion. `cost`: US dollars, if the model's price is known. An empty list of points
 * means no objections. `kept`: this is a stored opinion, which the device that asked first has paid for.
 */
export const SecondOpinion = z.object({
  model: ModelRef,
  points: z.array(OpinionPoint),
  cost: z.optional(z.number()),
  kept: z.optional(z.boolean()),
});
export type SecondOpinion = z.infer<typeof SecondOpinion>;
