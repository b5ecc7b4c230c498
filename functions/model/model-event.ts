// The events of a completion while it streams, independent of the provider and of the form of its tool calls.
import type { Finish, Thought } from "../../shared/message.ts";
import type { AssembledCall } from "./call-assembly.ts";
import type { ProviderUsage } from "./wires/chunk-fields.ts";

/** A feature that the rest of the conversation does without, which the person is told. */
export type Fallback = "tools" | "images";

/**
 * The events of an answer:
 * - `call`: a complete call, in call order; `id` is '' if the provider sent none or repeated one.
 * - `retry`: discard everything before it. Either the model is asked again, or the text turned out to be reasoning.
 * - `refused`: the provider does not accept native tools or images, and is asked without them.
 * - `end`: comes last and once; its `text` and `reasoning` are everything that was streamed.
 */
export type ModelEvent =
  | { type: "text"; delta: string }
  | { type: "reasoning"; delta: string }
  | { type: "call"; index: number; call: AssembledCall }
  | ({ type: "usage" } & ProviderUsage)
  | { type: "diagnostic"; kind: string; repaired: boolean }
  | { type: "refused"; part: Fallback }
  | { type: "retry" }
  | {
      type: "end";
      finish: Finish;
      text: string;
      reasoning: string;
      calls: AssembledCall[];
      /** How to send the reasoning back; absent if there is nothing to send back. */
      thought?: HowItCame;
    };

/** Where an answer's reasoning was found, and the details that came with it. */
export type HowItCame = Pick<Thought, "field" | "details">;

/** A piece of text or reasoning, which needs no action. */
export type DeltaEvent = Extract<ModelEvent, { delta: string }>;
