// A model provider and its models as they are configured. The phone only refers to them by id.
import * as z from "zod/mini";

/** `auto` = what the provider declares, otherwise native until the provider refuses it. */
export const ProtocolSetting = z.enum(["native", "text", "auto"]);
export type ProtocolSetting = z.infer<typeof ProtocolSetting>;

/** How a model edits files: by row references, or by replacing text. */
const EditStyle = z.enum(["rows", "text"]);
export type EditStyle = z.infer<typeof EditStyle>;

/** The API through which a model is used: OpenAI's chat completions, OpenAI's Responses, Anthropic's Messages. */
export const WireName = z.enum(["chat", "responses", "messages"]);
export type WireName = z.infer<typeof WireName>;

export const nonBlank = z.string().check(z.regex(/\S/, "must not be blank"));

const price = z.number().check(z.gte(0));
/** US dollars for a million tokens. */
export const Price = z.strictObject({
  input: price,
  output: price,
  /** Input that is read from the provider's cache; by default it costs the same as other input. */
  cached: z.optional(price),
});

export const ModelSettings = z.strictObject({
  id: nonBlank,
  /** In tokens, for prompt and answer together. */
  contextWindow: z.number().check(z.int(), z.gte(1_000)),
  /** Absent = the API that is known to be best for its provider, or else chat completions. */
  wire: z.optional(WireName),
  toolProtocol: z.optional(ProtocolSetting),
  /** Absent means edits by rows. */
  edits: z.optional(EditStyle),
  /** A small model gets fewer tools and shorter texts in the text form. Absent = decided from its name. */
  small: z.optional(z.boolean()),
  /** Absent or null = none is sent, so the provider's default is used. */
  temperature: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(2)))),
  /** false = images are left out of requests, and a note tells the model. */
  images: z.optional(z.boolean()),
  price: z.optional(Price),
  /** OpenAI's `reasoning_effort`, Anthropic's `effort` or a thinking budget; left out if the provider refuses it. */
  reasoningEffort: z.optional(nonBlank),
  /** The most tokens of an answer. */
  maxOutput: z.optional(z.number().check(z.int(), z.positive())),
  /** Further fields of the request, for features of one provider. */
  body: z.optional(z.looseObject({})),
  /** Further headers of the request. */
  headers: z.optional(
    z.catchall(z.object({}), z.string()).check(
      z.refine((headers) => Object.keys(headers).every((name) => /^[A-Za-z0-9-]+$/.test(name)), {
        message: "names are of letters, digits and -",
      }),
    ),
  ),
  /** How long the model may think before its first token; absent = five minutes. */
  waitSeconds: z.optional(z.number().check(z.gte(5), z.lte(3_600))),
  /** true = the model itself summarizes the messages that its requests leave out, with one extra request each time. */
  summary: z.optional(z.boolean()),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

/** How a provider differs from other providers of chat completions. */
export interface Traits {
  /** Another wire format for its models, or only for models with matching ids. */
  wire?: { name: WireName; models?: RegExp };
  /** Features that are left out or sent differently from the first request on. */
  refuses?: readonly Refused[];
  /** The path at which a key can be checked; default `/models`. */
  keyCheck?: string;
  /** OpenAI's name for the limit of an answer since its reasoning models. */
  outputField?: "max_completion_tokens";
  /** Models whose id has this prefix cache the prompt up to each `cache_control`. */
  cacheControl?: string;
  /** It accepts `prompt_cache_key`, with which requests of one conversation find the same cache. */
  cacheKey?: true;
}

export interface Provider {
  id: string;
  label: string;
  /** Without a slash at the end; the path of the model's wire format is appended. */
  baseUrl: string;
  apiKey?: string;
  /** Name of the setting that contains the key, for messages. */
  keyVariable?: string;
  models: ModelSettings[];
  /** true = the scripted stand-in; every screen must call it that. */
  demo: boolean;
  traits?: Traits;
}

/**
 * A feature of the request that the provider refuses and that can be left out or sent differently.
 * - `roles`: messages whose roles do not alternate, or a system message, which some models' templates cannot express.
 * - `missing_…`: it wants a field on calls or answers that it did not produce, and gets a placeholder.
 * - `call_ids`: it accepts only letters and digits.
 * - `user_after_tool`: an answer must come between a tool's result and the user's message.
 * - `chat_completions`: only the Responses API serves the model.
 * - `long_output`: its longest answer is shorter.
 * - `thoughts …`: the reasoning in one conversation (its id) is from another provider or was changed.
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
