// A plan that another model reviews (POST /api/second-opinion): the request, and the points that come back.
import * as z from "zod/mini";
import { ModelRef } from "./event.ts";
import { SandboxId } from "./sandbox.ts";

/** More than these nobody weighs on a phone. */
export const maxPoints = 5;
/** Characters of a plan; the longest that the product makes has about this many. */
const maxChars = 60_000;

export const SecondOpinionRequest = z.strictObject({
  /** What the person asked for, in their words. */
  task: z.optional(z.string().check(z.maxLength(maxChars))),
  /** The plan's text. */
  plan: z.string().check(z.regex(/\S/, "must not be blank"), z.maxLength(maxChars)),
  /** Its steps in their order: points name them by number, the answer by id. */
  steps: z.array(z.strictObject({ id: z.string(), description: z.string() })).check(z.maxLength(100)),
  model: z.optional(ModelRef),
  /** The session of the plan: its opinions are kept with its files, where every edge finds them. */
  sandboxId: z.optional(SandboxId),
  /** Idempotency key: asked again with it, the same request gets the same answer. */
  key: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type SecondOpinionRequest = z.infer<typeof SecondOpinionRequest>;

/** On the step of that id; without one on the whole plan. */
export const OpinionPoint = z.object({ stepId: z.optional(z.string()), text: z.string() });
export type OpinionPoint = z.infer<typeof OpinionPoint>;

/**
 * `model`: the one that gave the opinion. `cost` in US dollars, if the model's price is known. No points = no
 * objections.
 */
export const SecondOpinion = z.object({
  model: ModelRef,
  points: z.array(OpinionPoint),
  cost: z.optional(z.number()),
});
export type SecondOpinion = z.infer<typeof SecondOpinion>;
