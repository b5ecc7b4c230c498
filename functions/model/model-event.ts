// What a completion tells while it comes in, whatever the provider and the form of its tool calls.
import type { Finish, Thought } from "../../shared/message.ts";
import type { AssembledCall } from "./call-assembly.ts";
import type { ProviderUsage } from "./wires/chunk-fields.ts";

/** What a conversation continues without, saying so. */
export type Fallback = "tools" | "images";

/**
 * `call`: complete, in call order; `id` is '' if the provider gave none or repeated one. `retry`: discard everything
 * before it. Either the model is asked again, or the text turned out at its end to be reasoning. `refused`: the provider
 * does not accept native tools, or images, and is asked without. `end` comes last and once; its `text` and `reasoning`
 * are everything that was streamed.
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
      /** How the reasoning goes back; absent if there is nothing to send back. */
      thought?: HowItCame;
    };

/** Where an answer's reasoning was found, and what came with it. */
export type HowItCame = Pick<Thought, "field" | "details">;

/** A piece of text or reasoning, as opposed to events that need an action. */
export type DeltaEvent = Extract<ModelEvent, { delta: string }>;
