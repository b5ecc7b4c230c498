// The journal of a turn as the sandbox API gives it (PROTOCOL 4): claims, and the lines of its long poll.
import * as z from "zod/mini";
import { outputFields } from "./calls-line.ts";
import { JournalEvent } from "./event.ts";
import { Grant, Permit } from "./grant.ts";
import { Network } from "./network.ts";
import { NotifyOption } from "./push.ts";
import { CallResult, OpName } from "./sandbox.ts";
import { CountedHistory, RunMode, SeenHash, SteerRequest, StoredTurn } from "./turn.ts";

/** A message of the person to a running turn, as it arrived. `at`: milliseconds. */
export const Steer = z.object({ ...SteerRequest.shape, at: z.number() });
export type Steer = z.infer<typeof Steer>;

/** `steer`: the message as journaled. Missing if the turn has taken it and ended. */
export const SteerAnswer = z.object({ steer: z.optional(Steer) });

/**
 * A plan as a client holds it. `content`: SHA-256, hex, of its `planContent`; `underWay`: it counts as approved. Each
 * is compared if it is given.
 */
const PostedPlan = z.strictObject({
  version: z.number(),
  hash: z.string(),
  content: z.optional(z.string()),
  underWay: z.optional(z.boolean()),
});
export type PostedPlan = z.infer<typeof PostedPlan>;

/** `resolves`: `proposal:VERSION:HASH` or `call:ID`, handed out once per sandbox. */
export const ClaimRequest = z.strictObject({
  epoch: z.number().check(z.int(), z.positive()),
  inputHash: z.optional(z.string()),
  record: z.optional(z.array(JournalEvent)),
  resolves: z.optional(z.string()),
  /** From the first claim that has one, kept unchanged: what a process needs to end the turn. */
  context: z.optional(z.unknown()),
  /**
   * The plan that the client holds: refused with `stale_plan` unless the sandbox knows it as newest. null = it knows of
   * none: refused while one is active.
   */
  plan: z.optional(z.nullable(PostedPlan)),
  /** The decision on the call that `resolves` names: refused unless exactly this call was asked about here. */
  permits: z.optional(Permit),
  /** The same for later calls of that answer, which the turn decides on as well. */
  alsoPermits: z.optional(z.array(Permit)),
  /** The first of the calls that `record` closes as cancelled: refused unless it waited here and was never allowed. */
  cancels: z.optional(z.string()),
  /** The answer stays open as a stream of `AttendanceLine` while the claimer runs the turn; `beats`: it beats as well. */
  attends: z.optional(z.enum(["stream", "beats"])),
  /** Which client posted the turn, and what it says that it has of this one and of an earlier one; see StoredTurn. */
  client: z.optional(z.string()),
  after: z.optional(z.number().check(z.int(), z.nonnegative())),
  seen: z.optional(SeenHash),
  stored: z.optional(StoredTurn),
  /**
   * If the client's history differs from the journal, or the journal is a copy: the person's choice. Without it:
   * `history_differs`.
   */
  counts: z.optional(CountedHistory),
  /**
   * What the turn was posted with: base64 of the gzipped JSON, kept until the turn has ended. null = it needs the
   * person's own model key, which is never kept: only who has that can continue it.
   */
  posted: z.optional(z.nullable(z.string())),
  /** With `counts`: the claimer has seen a difference that the journal alone does not show, so the turn ends. */
  differs: z.optional(z.literal(true)),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

export const ClaimResponse = z.object({
  records: z.array(JournalEvent),
  results: z.array(CallResult),
  finished: z.boolean(),
  /** true = the turn was stopped: only its ending, `turn.done` with the reason `stopped`, may still be recorded. */
  stopped: z.optional(z.boolean()),
  /** true = its clients have all of it, and it is long over: messages, output and results are no longer kept. */
  compacted: z.optional(z.boolean()),
  context: z.optional(z.unknown()),
  /** Keys of calls that had begun before a stop and have no result yet. Missing = none, or no stop. */
  begun: z.optional(z.array(z.string())),
  /** Messages to the running turn that its history does not have yet. Missing = none. */
  steers: z.optional(z.array(Steer)),
  /** What the person allowed in this sandbox before the turn was first claimed, or by it. Missing = nothing. */
  grants: z.optional(z.array(Grant)),
  /** How the latest answers asked for the plan to run, unless the person has done something else before this turn. */
  run: z.optional(RunMode),
  /** For commands that write, in a jail; missing if there is no jail. */
  network: z.optional(Network),
});
export type ClaimResponse = z.infer<typeof ClaimResponse>;

/** What a runner hears of its turn while it attends it. The first line of a claim's answer is `claimed`. */
export const AttendanceLine = z.discriminatedUnion("type", [
  z.extend(ClaimResponse, { type: z.literal("claimed") }),
  /** How many follow the turn through its journal. */
  z.object({ type: z.literal("watchers"), count: z.number() }),
  z.object({ type: z.literal("stop") }),
  /** The person sends a message into the turn. May arrive twice. */
  z.extend(Steer, { type: z.literal("steer") }),
  /** The notification settings have changed. */
  z.object({ type: z.literal("notify"), notify: NotifyOption }),
  /** A later attempt runs the turn. */
  z.object({ type: z.literal("overtaken") }),
  z.object({ type: z.literal("ping") }),
]);
export type AttendanceLine = z.infer<typeof AttendanceLine>;

/** What happens to a turn while somebody runs it: its stream without the claim and the pings. */
export type AttendanceNews = Exclude<AttendanceLine, { type: "claimed" | "ping" }>;

/**
 * A turn that has not ended, with what it was posted with, as the claim said. `epoch`: of the last claim; `attended`:
 * somebody runs it. `posted` is left out of a turn that is attended where only an idle one was asked for.
 */
export const PostedTurn = z.object({
  epoch: z.number(),
  attended: z.boolean(),
  posted: z.optional(z.string()),
  /** Replaces the `options.notify` that it was posted with. */
  notify: z.optional(NotifyOption),
});
export type PostedTurn = z.infer<typeof PostedTurn>;

/** Turns that have not ended, with a stored request, and that nobody runs. */
export const IdleTurns = z.object({
  turns: z.array(z.object({ sandboxId: z.string(), turnId: z.string() })),
});
export type IdleTurns = z.infer<typeof IdleTurns>;

/** `epoch`: that of the runner which sends the heartbeat. */
export const BeatRequest = z.strictObject({ epoch: z.number().check(z.int(), z.positive()) });

const stamped = { seq: z.number(), at: z.number() };
/** A line of a turn's journal, as `GET …/turns/:turnId` sends it; `ping` carries nothing. */
export const JournalLine = z.discriminatedUnion("type", [
  z.object({
    ...stamped,
    type: z.literal("claim"),
    epoch: z.number(),
    inputHash: z.optional(z.string()),
    /** The sandbox says when nobody runs the turn any more (`unattended`). */
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
  z.extend(CallResult, { seq: z.number(), type: z.literal("result") }),
  z.object({ ...stamped, type: z.literal("stop") }),
  z.object({ ...stamped, type: z.literal("steer"), id: z.string(), text: z.string() }),
  /** What this turn had allowed for the session was revoked; `grant`: its id, or `*` for every grant there was. */
  z.object({ ...stamped, type: z.literal("revoked"), grant: z.string() }),
  /** First line of a compacted journal; `lines`: how many it had. */
  z.object({ ...stamped, type: z.literal("compacted"), lines: z.number() }),
  /** Replaces a line that the disk has lost. */
  z.object({ ...stamped, type: z.literal("lost") }),
  /** Nobody runs the turn, and none of it runs in the sandbox: the last line of its answer. */
  z.object({ type: z.literal("unattended") }),
  z.object({ type: z.literal("ping") }),
]);
export type JournalLine = z.infer<typeof JournalLine>;
