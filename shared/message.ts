// Conversation messages (PROTOCOL 2): the one history that phone, edge and tests share.
import * as z from "zod/mini";
import { Mode } from "./mode.ts";
import { Plan } from "./plan/plan-file.ts";

/** `data`: for images base64 without a data-URL prefix, for text the text itself. */
export const Attachment = z
  .strictObject({
    kind: z.literal(["image", "text"]),
    name: z.string(),
    mediaType: z.string(),
    data: z.string(),
  })
  .check(
    z.refine(({ kind, data }) => kind === "text" || /^[A-Za-z0-9+/]+={0,2}$/.test(data), {
      message: "must be base64",
      path: ["data"],
    }),
  );
export type Attachment = z.infer<typeof Attachment>;

/** `arguments` is JSON text as the model wrote it, and may be invalid. */
export const ToolCall = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof ToolCall>;

export const Finish = z.literal(["stop", "tool_calls", "length", "content_filter", "aborted"]);
export type Finish = z.infer<typeof Finish>;

/** The numbers of a result's `[meta]` line, fixed when the result is created. Tokens are estimates. */
export const ResultMeta = z.object({
  round: z.number(),
  maxRounds: z.number(),
  contextTokens: z.number(),
  budgetTokens: z.number(),
  /** Facts about the result for the UI, for example `{"path","added","removed"}` or `{"exitCode"}`. */
  facts: z.optional(z.looseObject({})),
});
export type ResultMeta = z.infer<typeof ResultMeta>;

/**
 * The tokens of one answer as the provider counted them, or as we `estimated` them if it did not. `cost`: US dollars,
 * if prices are known.
 */
export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Input tokens read from the provider's cache. */
  cachedTokens: z.number(),
  /** Input tokens written to that cache, if the provider charges extra for them. */
  writtenTokens: z.optional(z.number()),
  estimated: z.optional(z.literal(true)),
  cost: z.optional(z.number()),
});
export type Usage = z.infer<typeof Usage>;

/**
 * What has been learned about how the model counts tokens. It is part of the history because the edge stores nothing.
 */
export const Calibration = z.object({
  /** `provider/model`. */
  model: z.string(),
  /** How many of the provider's tokens correspond to one estimated token. */
  scale: z.number(),
  /** The context window in the provider's tokens, if a refusal named a size other than the configured one. */
  window: z.optional(z.number()),
  /** The number of estimated tokens that fit, if a refusal named no numbers. */
  room: z.optional(z.number()),
});
export type Calibration = z.infer<typeof Calibration>;

/** The fields in which providers send reasoning and expect it back. */
export const ReasoningField = z.literal(["reasoning_content", "reasoning", "reasoning_text", "thinking"]);
export type ReasoningField = z.infer<typeof ReasoningField>;

const Opaque = z.looseObject({});
/**
 * What the provider expects to get back with an answer: its reasoning in `field` and, unread and unchanged,
 * OpenRouter's `reasoning_details` and the `extra_content` of calls by call id (Gemini's thought signatures).
 */
export const Thought = z.object({
  /** `provider/model`: it is not sent to other models. */
  model: z.string(),
  field: z.optional(ReasoningField),
  details: z.optional(z.array(Opaque)),
  calls: z.optional(z.catchall(z.object({}), Opaque)),
});
export type Thought = z.infer<typeof Thought>;

const common = {
  id: z.string().check(z.minLength(1), z.maxLength(300)),
  content: z.string(),
  createdAt: z.number(),
  mode: Mode,
};

export const SystemMessage = z.object({ ...common, role: z.literal("system") });
export const UserMessage = z.object({
  ...common,
  role: z.literal("user"),
  attachments: z.optional(z.array(Attachment)),
  /** Hash of the plan that was rejected with these words. */
  rejects: z.optional(z.string()),
});
export const AssistantMessage = z.object({
  ...common,
  role: z.literal("assistant"),
  toolCalls: z.optional(z.array(ToolCall)),
  reasoning: z.optional(z.string()),
  thought: z.optional(Thought),
  finish: Finish,
  /** The size of the request that this message answered, in tokens, either estimated or counted by the provider. */
  contextTokens: z.optional(z.number()),
  /** How many messages of the history were shortened or left out in that request. */
  trimmed: z.optional(z.number()),
  usage: z.optional(Usage),
  calibration: z.optional(Calibration),
});
export const ToolMessage = z.object({
  ...common,
  role: z.literal("tool"),
  toolCallId: z.string(),
  name: z.string(),
  ok: z.boolean(),
  meta: z.optional(ResultMeta),
});
/** Hidden: a plan version as it was installed. */
export const PlanMessage = z.object({ ...common, role: z.literal("plan"), extra: z.object({ plan: Plan }) });
/** Hidden: something that happened outside the conversation. Unknown subkinds are kept. */
export const EventMessage = z.object({
  ...common,
  role: z.literal("event"),
  extra: z.object({
    event: z.object({ subkind: z.string(), source: z.string(), data: z.looseObject({}) }),
  }),
});

/** A message as a client reads it: unknown fields are dropped. */
export const Message = z.discriminatedUnion("role", [
  SystemMessage,
  UserMessage,
  AssistantMessage,
  ToolMessage,
  PlanMessage,
  EventMessage,
]);
export type Message = z.infer<typeof Message>;
export type SystemMessage = z.infer<typeof SystemMessage>;
export type UserMessage = z.infer<typeof UserMessage>;
export type AssistantMessage = z.infer<typeof AssistantMessage>;
export type ToolMessage = z.infer<typeof ToolMessage>;
export type PlanMessage = z.infer<typeof PlanMessage>;
export type EventMessage = z.infer<typeof EventMessage>;

const strict = z.never();
/** A message as a request may carry it: unknown fields are an error. */
export const StrictMessage = z.discriminatedUnion("role", [
  z.catchall(SystemMessage, strict),
  z.catchall(UserMessage, strict),
  z.catchall(AssistantMessage, strict),
  z.catchall(ToolMessage, strict),
  z.catchall(PlanMessage, strict),
  z.catchall(EventMessage, strict),
]);
