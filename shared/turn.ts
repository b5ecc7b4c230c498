// The request of POST /api/turn (PROTOCOL 3.1).
import * as z from "zod/mini";
import { ModelRef } from "./event.ts";
import { Attachment, type Message, StrictMessage } from "./message.ts";
import { Mode } from "./mode.ts";
import { Plan } from "./plan/plan-file.ts";
import { Answer } from "./plan/question.ts";
import { NotifyOption } from "./push.ts";
import { seenPattern } from "./seen-hash.ts";

/** The mode in which an approved plan runs. */
export const RunMode = z.enum(["normal", "auto"]);
export type RunMode = z.infer<typeof RunMode>;

const nonBlank = z.string().check(z.regex(/\S/, "must not be blank"));
/** Ids travel in URLs and journal file names. */
const idText = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,100}$/, "1 to 100 of A-Z a-z 0-9 _ -"));

/** On a step, or on a piece of the plan's text, as it is quoted; without either, on the whole. */
export const PlanComment = z.strictObject({
  stepId: z.optional(z.string()),
  quote: z.optional(z.string()),
  text: nonBlank,
});
export type PlanComment = z.infer<typeof PlanComment>;
const comments = z.optional(z.array(PlanComment));

export const TurnInput = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("message"),
    text: nonBlank,
    attachments: z.optional(z.array(Attachment)),
  }),
  z.strictObject({
    type: z.literal("answers"),
    toolCallId: z.string(),
    answers: z.array(Answer),
    /** true = execute as soon as the plan is patched. */
    run: z._default(z.boolean(), false),
    mode: z.optional(RunMode),
  }),
  z.strictObject({
    type: z.literal("approve"),
    planVersion: z.number(),
    planHash: z.string(),
    mode: RunMode,
    /** true = approved, not started. */
    hold: z.optional(z.boolean()),
    /** The text that the person saw, whole; refused where `plan.markdown` is another one. */
    planText: z.optional(z.string()),
    /** true = with a clean context: later requests to the model leave out what was read for the plan. */
    fresh: z.optional(z.boolean()),
    /** What the model is to mind while it carries the plan out. */
    feedback: z.optional(z.string()),
    comments,
  }),
  z.strictObject({
    type: z.literal("reject"),
    planVersion: z.number(),
    feedback: z.string(),
    comments,
  }),
  z.strictObject({
    type: z.literal("permit"),
    toolCallId: z.string(),
    decision: z.enum(["once", "session", "deny", "again", "done", "never"]),
    text: z.optional(z.string()),
    /** Decisions on later calls of the same answer that wait as well; those left out are asked about again. */
    others: z.optional(
      z.array(
        z.strictObject({
          toolCallId: z.string(),
          decision: z.enum(["once", "session", "deny", "never"]),
          text: z.optional(z.string()),
        }),
      ),
    ),
  }),
  z.strictObject({ type: z.literal("replan"), text: z.optional(z.string()), reset: z.optional(z.boolean()) }),
  /** A text of the conversation, or a Markdown file of the workspace, becomes the plan that waits for approval. */
  z.strictObject({
    type: z.literal("take_plan"),
    text: z.optional(z.string()),
    path: z.optional(z.string()),
  }),
  z.strictObject({ type: z.literal("rewind"), stepId: z.string() }),
  z.strictObject({ type: z.literal("continue") }),
  /** The person allows the project's hooks, as they read under this hash. */
  z.strictObject({ type: z.literal("hooks"), hash: z.string() }),
  /** The person ends the plan that is under way: its work is finished, or it is left as it is. */
  z.strictObject({ type: z.literal("close"), as: z.enum(["done", "abandoned"]) }),
]);
export type TurnInput = z.infer<typeof TurnInput>;

/** A message for the running turn, which its model reads after the current call. `id`: idempotency key. */
export const SteerRequest = z.strictObject({ id: idText, text: nonBlank });
export type SteerRequest = z.infer<typeof SteerRequest>;

/** The id of the message that such words become in the turn's history. */
export function steerMessageId(turnId: string, id: string): string {
  return `${turnId}.steer.${id}`;
}

/** Whether a message has such an id, of whatever turn. */
export function isSteerMessageId(messageId: string): boolean {
  return messageId.includes(steerMessageId("", ""));
}

export const TurnOptions = z.strictObject({
  maxRounds: z.optional(z.number().check(z.int(), z.gte(1), z.lte(50))),
  readOnlyTools: z.optional(z.array(z.string())),
  planPrompt: z.optional(nonBlank),
  toolProtocol: z.optional(z.enum(["auto", "native", "text"])),
  /** US dollars that this turn may cost, where the model has prices. */
  spendLimit: z.optional(z.number().check(z.gte(0))),
  /**
   * What the turn may have used before it continues no further while nobody watches; the server's own limits hold as
   * well.
   */
  unattended: z.optional(
    z.strictObject({
      rounds: z.optional(z.number().check(z.int(), z.positive())),
      minutes: z.optional(z.number().check(z.positive())),
      spendLimit: z.optional(z.number().check(z.gte(0))),
    }),
  ),
  /** How much the model reasons in this turn, in its provider's words (`low`); overrides its `reasoningEffort`. */
  effort: z.optional(z.string().check(z.regex(/^\w{1,20}$/, "1 to 20 letters or digits"))),
  /** Whom to call when the turn ends and nobody reads its stream. */
  notify: z.optional(NotifyOption),
  /** false = a check that fails is not tried on the unchanged files. */
  baseline: z.optional(z.boolean()),
  /** true = the repository has a remote and the client a sheet for commits, pushes and pull requests: the model may ask for it. */
  deliver: z.optional(z.boolean()),
  /** true = the project has hooks: those that the person has allowed run. */
  hooks: z.optional(z.boolean()),
  /** MCP servers with their tools: see McpServer, which the edge parses them with if there are any. */
  mcp: z.optional(z.array(z.unknown())),
  /** The model may send helpers to look (`explore`), which ask `model`; absent = the turn's own. */
  explore: z.optional(z.strictObject({ model: z.optional(ModelRef) })),
});
export type TurnOptions = z.infer<typeof TurnOptions>;

/** The running hash that came with a durable event; see seen-hash.ts. */
export const SeenHash = z.string().check(z.regex(seenPattern, "must be the `seen` of an event, as it came"));

/** A turn that a client holds on its own storage up to the durable event `after`. */
export const StoredTurn = z.strictObject({
  turnId: idText,
  after: z.number().check(z.int(), z.nonnegative()),
  seen: z.optional(SeenHash),
  /** The client takes it for the newest turn, and it for ended: a new turn is refused where it is not. */
  newest: z.optional(z.literal(true)),
});
export type StoredTurn = z.infer<typeof StoredTurn>;

/** Which history counts, if client and server differ or the server's is a copy: the person's choice. */
export const CountedHistory = z.enum(["client", "server"]);
export type CountedHistory = z.infer<typeof CountedHistory>;

/** The body of a turn. Defaults make the shortest useful call: turnId, sandboxId, mode, input. */
export const TurnRequest = z.strictObject({
  protocol: z.literal(1),
  turnId: idText,
  attempt: z._default(z.number().check(z.int(), z.positive()), 1),
  after: z._default(z.number().check(z.int(), z.nonnegative()), 0),
  seen: z.optional(SeenHash),
  client: z.optional(idText),
  stored: z.optional(StoredTurn),
  counts: z.optional(CountedHistory),
  sandboxId: idText,
  mode: Mode,
  model: z._default(z.nullable(z.catchall(ModelRef, z.never())), null),
  messages: z._default(z.array(StrictMessage), []),
  plan: z._default(z.nullable(z.catchall(Plan, z.never())), null),
  input: TurnInput,
  options: z._default(TurnOptions, {}),
});
/**
 * The body of a request that continues a turn with a request stored in the sandbox: the fields that differ between its
 * attempts.
 */
const { attempt: _, after, seen, client, stored, counts } = TurnRequest.shape;
export const ResumeRequest = z.strictObject({
  attempt: z.number().check(z.int(), z.positive()),
  after,
  seen,
  client,
  stored,
  counts,
});
export type ResumeRequest = z.infer<typeof ResumeRequest>;
/** Strictness is for reading; as types, messages, plan and model are what they are everywhere. */
type Plain<T extends { messages?: unknown; plan?: unknown; model?: unknown }> = Omit<
  T,
  "messages" | "plan" | "model"
>;
export type TurnRequest = Plain<z.infer<typeof TurnRequest>> & {
  messages: Message[];
  plan: Plan | null;
  model: ModelRef | null;
};
/** What a client writes: fields with defaults may be left out. */
export type TurnRequestInput = Plain<z.input<typeof TurnRequest>> & {
  messages?: Message[];
  plan?: Plan | null;
  model?: ModelRef | null;
};
