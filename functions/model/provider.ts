// A model provider and its models, as they are configured. The phone only ever names their ids.
import * as z from "zod/mini";

/** `auto` = find out: what the provider declares, else native until it refuses. */
export const ProtocolSetting = z.enum(["native", "text", "auto"]);
export type ProtocolSetting = z.infer<typeof ProtocolSetting>;

/** How a model changes files: by row references, or by replacing text. */
const EditStyle = z.enum(["rows", "text"]);
export type EditStyle = z.infer<typeof EditStyle>;

/** How a model is spoken to: OpenAI's chat completions, OpenAI's Responses, Anthropic's Messages. */
export const WireName = z.enum(["chat", "responses", "messages"]);
export type WireName = z.infer<typeof WireName>;

export const nonBlank = z.string().check(z.regex(/\S/, "must not be blank"));

const price = z.number().check(z.gte(0));
/** US dollars for a million tokens. */
export const Price = z.strictObject({
  input: price,
  output: price,
  /** Input read from the provider's cache; as other input unless given. */
  cached: z.optional(price),
});

export const ModelSettings = z.strictObject({
  id: nonBlank,
  /** In tokens, question and answer together. */
  contextWindow: z.number().check(z.int(), z.gte(1_000)),
  /** Absent = as its provider is known to be best asked, else chat completions. */
  wire: z.optional(WireName),
  toolProtocol: z.optional(ProtocolSetting),
  /** Absent = rows. */
  edits: z.optional(EditStyle),
  /** In the text form it is shown fewer tools and shorter texts. Absent = as its name says. */
  small: z.optional(z.boolean()),
  /** Absent or null = none is sent, and the provider's own counts. */
  temperature: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(2)))),
  /** false = images are left out of requests, and a note tells the model. */
  images: z.optional(z.boolean()),
  price: z.optional(Price),
  /** OpenAI's `reasoning_effort`, Anthropic's `effort` or a thinking budget; left out where the provider refuses it. */
  reasoningEffort: z.optional(nonBlank),
  /** Tokens that an answer may have. */
  maxOutput: z.optional(z.number().check(z.int(), z.positive())),
  /** More fields of the request, for what a provider alone knows. */
  body: z.optional(z.looseObject({})),
  /** More headers of the request. */
  headers: z.optional(
    z.catchall(z.object({}), z.string()).check(
      z.refine((headers) => Object.keys(headers).every((name) => /^[A-Za-z0-9-]+$/.test(name)), {
        message: "names are of letters, digits and -",
      }),
    ),
  ),
  /** How long the model may think before it says anything; absent = five minutes. */
  waitSeconds: z.optional(z.number().check(z.gte(5), z.lte(3_600))),
  /** true = the model itself summarizes the messages that its requests leave out: one more request each time. */
  summary: z.optional(z.boolean()),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

/** How a provider differs from the others that speak chat completions. */
export interface Traits {
  /** Another wire for its models, or for models with matching ids. */
  wire?: { name: WireName; models?: RegExp };
  /** Left out, or said in another way, from the first request on. */
  refuses?: readonly Refused[];
  /** Where a key can be tried; `/models` unless given. */
  keyCheck?: string;
  /** What OpenAI calls the limit of an answer since its reasoning models. */
  outputField?: "max_completion_tokens";
  /** Models with this id prefix cache at `cache_control`. */
  cacheControl?: string;
  /** It takes `prompt_cache_key`: requests of one conversation then find the same cache. */
  cacheKey?: true;
}

export interface Provider {
  id: string;
  label: string;
  /** Without a slash at the end; the path of the model's wire is appended. */
  baseUrl: string;
  apiKey?: string;
  /** Name of the setting that holds the key, for messages. */
  keyVariable?: string;
  models: ModelSettings[];
  /** true = the scripted stand-in, which every screen must name as such. */
  demo: boolean;
  traits?: Traits;
}

/**
 * Something in the request that the provider rejects, and that can be left out or sent in another way. `roles`: messages
 * with roles that do not alternate, or a system message, which some models' templates cannot write. `missing_…`: it
 * wants a field on calls that it did not make, and gets a placeholder. `call_ids`: it takes only letters and digits.
 * `user_after_tool`: an answer has to come between. `chat_completions`: only the Responses API serves the model.
 * `long_output`: the maximum answer is shorter. `thoughts …`: the reasoning in one conversation (its id) is not the
 * provider's own, or has changed.
 */
export type Refused =
  | "tools"
  | "temperature"
  | "reasoning_effort"
  | "stream_options"
  | "images"
  | "roles"
  | "call_ids"
  | "cache_control"
  | "prompt_cache_key"
  | "user_after_tool"
  | "reasoning"
  | "missing_reasoning"
  | "missing_signatures"
  | "chat_completions"
  | "reasoning_summary"
  | "encrypted_reasoning"
  | "adaptive_thinking"
  | "budget_thinking"
  | "long_output"
  | "response_format"
  | "grammar"
  | `thoughts ${string}`;
