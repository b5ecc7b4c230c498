// The journal of a turn as the sandbox API exposes it (PROTOCOL 4): claims, and the lines of its long poll.
import * as z from "zod/mini";
import { outputFields } from "./calls-line.ts";
import { JournalEvent } from "./event.ts";
import { Grant, Permit } from "./grant.ts";
import { Network } from "./network.ts";
import { NotifyOption } from "./push.ts";
import { CallResult, OpName } from "./sandbox.ts";
import { CountedHistory, RunMode, SeenHash, SteerRequest, StoredTurn } from "./turn.ts";

/** A message that the person sends into a running turn. `at`: when it arrived, in milliseconds. */
export const Steer = z.object({ ...SteerRequest.shape, at: z.number() });
export type Steer = z.infer<typeof Steer>;

/** `steer`: the message as journaled. Missing if the turn has already used it and ended. */
export const SteerAnswer = z.object({ steer: z.optional(Steer) });

/**
 * A plan as a client has it. `content`: SHA-256 in hex of its `planContent`; `underWay`: it counts as approved. Each
 * field is compared if it is given.
 */
const PostedPlan = z.strictObject({
  version: z.number(),
  hash: z.string(),
  content: z.optional(z.string()),
  underWay: z.optional(z.boolean()),
});
export type PostedPlan = z.infer<typeof PostedPlan>;

/** `resolves`: `proposal:VERSION:HASH` or `call:ID`. A sandbox lets each value be claimed once only. */
export const ClaimRequest = z.strictObject({
  epoch: z.number().check(z.int(), z.positive()),
  inputHash: z.optional(z.string()),
  record: z.optional(z.array(JournalEvent)),
  resolves: z.optional(z.string()),
  /** Stored unchanged from the first claim that has one; a process needs it to end the turn. */
  context: z.optional(z.unknown()),
  /**
   * The plan that the client has. The sandbox refuses it with `stale_plan` unless it is the newest that it knows. null
   * = the client has none: refused while a plan is active.
   */
  plan: z.optional(z.nullable(PostedPlan)),
  /** The decision on the call that `resolves` names. Refused unless this sandbox asked about exactly this call. */
  permits: z.optional(Permit),
  /** Decisions on later calls of the same answer, which this turn resolves as well. */
  alsoPermits: z.optional(z.array(Permit)),
  /**
   * The first of the calls that `record` closes as cancelled. Refused unless it waited for a decision here and was
   * never allowed.
   */
  cancels: z.optional(z.string()),
  /**
   * The response stays open as a stream of `AttendanceLine` while the claimer runs the turn. With `beats`, the claimer
   * also sends heartbeats.
   */
  attends: z.optional(z.literal(["stream", "beats"])),
  /** The client that posted the turn, and what it says it has of this turn and of an earlier one; see StoredTurn. */
  client: z.optional(z.string()),
  after: z.optional(z.number().check(z.int(), z.nonnegative())),
  seen: z.optional(SeenHash),
  stored: z.optional(StoredTurn),
  /**
   * The person's choice if the client's history differs from the journal, or the journal is a copy. Without it the
   * claim fails with `history_differs`.
   */
  counts: z.optional(CountedHistory),
  /**
   * The request with which the turn was posted: base64 of gzipped JSON, kept until the turn has ended. null = the
   * request contains the person's own model key, which is never stored, so only a client that has the key can continue
   * the turn.
   */
  posted: z.optional(z.nullable(z.string())),
  /** With `counts`: the claimer has found a difference that the journal alone does not show, so the turn ends. */
  differs: z.optional(z.literal(true)),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

export const ClaimResponse = z.object({
  records: z.array(JournalEvent),
  results: z.array(CallResult),
  finished: z.boolean(),
  /** true = the turn was stopped: only its end, `turn.done` with the reason `stopped`, may still be recorded. */
  stopped: z.optional(z.boolean()),
  /**
   * true = the turn ended long ago and its clients have all of it: its messages, output and results have been
   * discarded.
   */
  compacted: z.optional(z.boolean()),
  context: z.optional(z.unknown()),
  /** Keys of calls that had begun before a stop and have no result yet. Missing = there are none, or no stop. */
  begun: z.optional(z.array(z.string())),
  /** Messages to the running turn that its history does not contain yet. Missing = none. */
  steers: z.optional(z.array(Steer)),
  /**
   * What the person had allowed in this sandbox by the time of the turn's first claim, including that claim. Missing =
   * nothing.
   */
  grants: z.optional(z.array(Grant)),
  /**
   * What `session` would allow, for each call that this turn was given to resolve. Missing = none, or an older server.
   */
  asked: z.optional(z.array(Grant)),
  /**
   * The mode in which the latest answers asked for the plan to be executed. Missing if the person has done something
   * else since.
   */
  run: z.optional(RunMode),
  /** The network of commands that may write in the jail; missing if there is no jail. */
  network: z.optional(Network),
});
export type ClaimResponse = z.infer<typeof ClaimResponse>;

/** What a runner is told about its turn while it attends it. The first line of a claim's response is `claimed`. */
export const AttendanceLine = z.discriminatedUnion("type", [
  z.object({ ...ClaimResponse.shape, type: z.literal("claimed") }),
  /** How many clients follow the turn through its journal. */
  z.object({ type: z.literal("watchers"), count: z.number() }),
  z.object({ type: z.literal("stop") }),
  /** The person sends a message into the turn. It may arrive twice. */
  z.object({ ...Steer.shape, type: z.literal("steer") }),
  /** The notification settings have changed. */
  z.object({ type: z.literal("notify"), notify: NotifyOption }),
  /** A later attempt has taken over the turn. */
  z.object({ type: z.literal("overtaken") }),
  z.object({ type: z.literal("ping") }),
]);
export type AttendanceLine = z.infer<typeof AttendanceLine>;

/** What happens to a turn while a process runs it: the lines of its stream except the claim and the pings. */
export type AttendanceNews = Exclude<AttendanceLine, { type: "claimed" | "ping" }>;

/**
 * A turn that has not ended, with the request that its claim stored. `epoch`: that of the last claim; `attended`: a
 * process runs it. `posted` is left out for an attended turn if the client asked for idle turns only.
 */
export const PostedTurn = z.object({
  epoch: z.number(),
  attended: z.boolean(),
  posted: z.optional(z.string()),
  /** Replaces the `options.notify` of the stored request. */
  notify: z.optional(NotifyOption),
});
export type PostedTurn = z.infer<typeof PostedTurn>;

/** Turns that have not ended, have a stored request, and are not being run. */
export const IdleTurns = z.object({
  turns: z.array(z.object({ sandboxId: z.string(), turnId: z.string() })),
});
export type IdleTurns = z.infer<typeof IdleTurns>;

/** `epoch`: that of the runner that sends the heartbeat. */
export const BeatRequest = z.strictObject({ epoch: z.number().check(z.int(), z.positive()) });

const stamped = { seq: z.number(), at: z.number() };
/** A line of a turn's journal as `GET …/turns/:turnId` sends it; `ping` only keeps the connection open. */
export const JournalLine = z.discriminatedUnion("type", [
  z.object({
    ...stamped,
    type: z.literal("claim"),
    epoch: z.number(),
    inputHash: z.optional(z.string()),
    /** The sandbox reports with `unattended` when the turn's runner has gone. */
    attends: z.optional(z.boolean()),
    context: z.optional(z.unknown()),
  }),
  z.object({ ...stamped, type: z.literal("record"), events: z.array(JournalEvent) }),
  z.object({
    ...stamped,
    type: z.literal("started"),
    key: z.string(),
    op: OpName,
    args: z.looseObject({}),
  }),
  z.object({ ...stamped, type: z.literal("output"), ...outputFields }),
  z.object({ ...CallResult.shape, seq: z.number(), type: z.literal("result") }),
  z.object({ ...stamped, type: z.literal("stop") }),
  z.object({ ...stamped, type: z.literal("steer"), id: z.string(), text: z.string() }),
  /**
   * A permission for the session that was given in this turn was revoked; `grant`: its id, or `*` for all grants at
   * that time.
   */
  z.object({ ...stamped, type: z.literal("revoked"), grant: z.string() }),
  /** The first line of a compacted journal; `lines`: how many lines it had before. */
  z.object({ ...stamped, type: z.literal("compacted"), lines: z.number() }),
  /** Replaces a line that was lost on the disk. */
  z.object({ ...stamped, type: z.literal("lost") }),
  /** No process runs the turn, and none of its calls runs in the sandbox. This is the last line of the response. */
  z.object({ type: z.literal("unattended") }),
  z.object({ type: z.literal("ping") }),
]);
export type JournalLine = z.infer<typeof JournalLine>;
