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
export const RunMode = z.literal(["normal", "auto"]);
export type RunMode = z.infer<typeof RunMode>;

const nonBlank = z.string().check(z.regex(/\S/, "must not be blank"));
/** Ids are used in URLs and in the names of journal files. */
const idText = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,100}$/, "1 to 100 of A-Z a-z 0-9 _ -"));

/** A comment on a step, on a quoted piece of the plan's text, or, without either, on the whole plan. */
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
    /** true = the plan is executed as soon as the answers are applied. */
    run: z._default(z.boolean(), false),
    mode: z.optional(RunMode),
  }),
  z.strictObject({
    type: z.literal("approve"),
    planVersion: z.number(),
    planHash: z.string(),
    mode: RunMode,
    /** true = the plan is approved but not started. */
    hold: z.optional(z.boolean()),
    /** The whole text that the person saw; the approval is refused if `plan.markdown` differs. */
    planText: z.optional(z.string()),
    /** true = continue with a clean context: later requests to the model leave out what was read for the plan. */
    fresh: z.optional(z.boolean()),
    /** What the model should keep in mind while it executes the plan. */
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
    decision: z.literal(["once", "session", "deny", "again", "done", "never"]),
    text: z.optional(z.string()),
    /** Decisions on later waiting calls of the same answer; those that are left out are asked about again. */
    others: z.optional(
      z.array(
        z.strictObject({
          toolCallId: z.string(),
          decision: z.literal(["once", "session", "deny", "never"]),
          text: z.optional(z.string()),
        }),
      ),
    ),
  }),
  z.strictObject({ type: z.literal("replan"), text: z.optional(z.string()), reset: z.optional(z.boolean()) }),
  /** A text of the conversation, or a Markdown file of the workspace, becomes a plan that waits for approval. */
  z.strictObject({
    type: z.literal("take_plan"),
    text: z.optional(z.string()),
    path: z.optional(z.string()),
  }),
  z.strictObject({ type: z.literal("rewind"), stepId: z.string() }),
  z.strictObject({ type: z.literal("continue") }),
  /** The person allows the project's hooks in the version that has this hash. */
  z.strictObject({ type: z.literal("hooks"), hash: z.string() }),
  /** The person ends the active plan: either its work is finished, or it is abandoned. */
  z.strictObject({ type: z.literal("close"), as: z.literal(["done", "abandoned"]) }),
]);
export type TurnInput = z.infer<typeof TurnInput>;

/** A message to the running turn, which the model reads after the current call. `id`: idempotency key. */
export const SteerRequest = z.strictObject({ id: idText, text: nonBlank });
export type SteerRequest = z.infer<typeof SteerRequest>;

/** The id that such a message gets in the turn's history. */
export function steerMessageId(turnId: string, id: string): string {
  return `${turnId}.steer.${id}`;
}

/** Whether a message has such an id, for any turn. */
export function isSteerMessageId(messageId: string): boolean {
  return messageId.includes(steerMessageId("", ""));
}

export const TurnOptions = z.strictObject({
  maxRounds: z.optional(z.number().check(z.int(), z.gte(1), z.lte(50))),
  readOnlyTools: z.optional(z.array(z.string())),
  planPrompt: z.optional(nonBlank),
  toolProtocol: z.optional(z.literal(["auto", "native", "text"])),
  /** The limit of this turn's cost in US dollars, if the model has prices. */
  spendLimit: z.optional(z.number().check(z.gte(0))),
  /** The turn stops at these limits if no one watches it; the server's own limits apply as well. */
  unattended: z.optional(
    z.strictObject({
      rounds: z.optional(z.number().check(z.int(), z.positive())),
      minutes: z.optional(z.number().check(z.positive())),
      spendLimit: z.optional(z.number().check(z.gte(0))),
    }),
  ),
  /**
   * How much the model reasons in this turn, in its provider's terms (`low`); overrides the model's `reasoningEffort`.
   */
  effort: z.optional(z.string().check(z.regex(/^\w{1,20}$/, "1 to 20 letters or digits"))),
  /** Where a notification is sent when the turn ends and no client reads its stream. */
  notify: z.optional(NotifyOption),
  /** false = a failed check is not run on the unchanged files. */
  baseline: z.optional(z.boolean()),
  /**
   * true = the repository has a remote and the client has a screen for commits, pushes and pull requests, so the model
   * may suggest them.
   */
  deliver: z.optional(z.boolean()),
  /** true = the project has hooks; those that the person has allowed are run. */
  hooks: z.optional(z.boolean()),
  /** MCP servers with their tools: see McpServer, with which the edge parses them if there are any. */
  mcp: z.optional(z.array(z.unknown())),
  /**
   * The model may send helpers to look around (`explore`). `model`: the one that helpers use; absent = the turn's own
   * model.
   */
  explore: z.optional(z.strictObject({ model: z.optional(ModelRef) })),
});
export type TurnOptions = z.infer<typeof TurnOptions>;

/** The running hash that was sent with a durable event; see seen-hash.ts. */
export const SeenHash = z.string().check(z.regex(seenPattern, "must be the `seen` of an event, as it came"));

/** A turn that a client has stored up to the durable event `after`. */
export const StoredTurn = z.strictObject({
  turnId: idText,
  after: z.number().check(z.int(), z.nonnegative()),
  seen: z.optional(SeenHash),
  /** The client believes that this is the newest turn and that it has ended; a new turn is refused if that is wrong. */
  newest: z.optional(z.literal(true)),
});
export type StoredTurn = z.infer<typeof StoredTurn>;

/** The person's choice of history, if those of client and server differ or the server's is a copy. */
export const CountedHistory = z.literal(["client", "server"]);
export type CountedHistory = z.infer<typeof CountedHistory>;

/**
 * The body of a turn. Thanks to the defaults, the shortest useful request has only turnId, sandboxId, mode and input.
 */
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
 * The body of a request that continues a turn whose request is stored in the sandbox: only the fields that may differ
 * between attempts.
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
/** The strict schemas matter only for parsing; as types, messages, plan and model are the same as elsewhere. */
type Plain<T extends { messages?: unknown; plan?: unknown; model?: unknown }> = Omit<
  T,
  "messages" | "plan" | "model"
>;
export type TurnRequest = Plain<z.infer<typeof TurnRequest>> & {
  messages: Message[];
  plan: Plan | null;
  model: ModelRef | null;
};
/** The request as a client writes it: fields with defaults may be left out. */
export type TurnRequestInput = Plain<z.input<typeof TurnRequest>> & {
  messages?: Message[];
  plan?: Plan | null;
  model?: ModelRef | null;
};
