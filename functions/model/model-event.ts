// What a completion tells while it comes in, whatever the provider and the form of its tool calls.
import type { ToolProtocol } from "../../shared/event.ts";
import type { Finish } from "../../shared/message.ts";
import type { AssembledCall } from "./call-assembly.ts";

/**
 * `call`: complete, in call order; `id` is '' where the provider gave none or repeated one.
 * `retry`: everything before it is void. `protocol`: the provider refused native tools.
 * `end` comes last and once, its `text` and `reasoning` the whole of what was streamed.
 */
export type ModelEvent =
  | { type: "text"; delta: string }
  | { type: "reasoning"; delta: string }
  | { type: "call"; index: number; call: AssembledCall }
  | { type: "usage"; inputTokens: number; outputTokens: number; cachedTokens: number }
  | { type: "diagnostic"; kind: string; repaired: boolean }
  | { type: "protocol"; toolProtocol: Extract<ToolProtocol, "text"> }
  | { type: "retry" }
  | { type: "end"; finish: Finish; text: string; reasoning: string; calls: AssembledCall[] };
