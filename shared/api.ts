// The smaller responses of the edge API /api (PROTOCOL 3.2).
import * as z from "zod/mini";
import { Capabilities } from "./capabilities.ts";
import { CountedFrom } from "./git.ts";
import { Network } from "./network.ts";
import { SandboxId, SandboxInfo, Source } from "./sandbox.ts";
import { WantsWorktree } from "./worktree.ts";

export const Health = z.object({ ok: z.literal(true), version: z.string() });
export type Health = z.infer<typeof Health>;

/** `price` is present if the costs are known; the server decides its form. */
export const ModelInfo = z.object({
  id: z.string(),
  contextWindow: z.number(),
  price: z.optional(z.unknown()),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** `demo` marks a scripted stand-in for a model; every screen must call it that. */
export const ProviderInfo = z.object({
  id: z.string(),
  label: z.string(),
  models: z.array(ModelInfo),
  demo: z.boolean(),
  /** A sentence saying why the provider cannot be used: its key was rejected, or its address does not respond. */
  problem: z.optional(z.string()),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

const { engine, isolation, readonlyExec, seccomp, network, worktrees, engines } = Capabilities.shape;

export const Config = z.object({
  providers: z.array(ProviderInfo),
  sandbox: z.object({ engine, isolation, readonlyExec, seccomp, network, worktrees, engines }),
  limits: z.catchall(z.object({}), z.number()),
  /**
   * The workspace of a sandbox created without a `source`: the served folder, or a fresh copy of the sample project.
   */
  workspace: z.optional(z.object({ kind: z.literal(["folder", "sample"]), name: z.string() })),
  /** false = this host pauses a turn soon after the client disconnects. */
  continuesUnattended: z.optional(z.boolean()),
  /**
   * true = the server also resumes an interrupted turn without a client; false or missing = the turn waits for a
   * client.
   */
  unattended: z.optional(z.boolean()),
  /**
   * The key with which a browser subscribes to push messages (VAPID, unpadded base64url); null = this server sends
   * none.
   */
  push: z.optional(z.nullable(z.object({ publicKey: z.string() }))),
});
export type Config = z.infer<typeof Config>;

export const CreateSandboxRequest = z.strictObject({
  source: z.optional(Source),
  /** Missing = the setting that the sandbox server was started with. */
  network: z.optional(Network),
  worktree: z.optional(WantsWorktree),
  /** The name of an engine, if the config lists several (`sandbox.engines`); missing = the first one. */
  engine: z.optional(z.string()),
  /** Idempotency key for engines that create guests: repeating a request with the same key creates no second guest. */
  key: z.optional(SandboxId),
});
export type CreateSandboxRequest = z.infer<typeof CreateSandboxRequest>;

const { id: _, ...infoFields } = SandboxInfo.shape;
export const SandboxAnswer = z.object({ ...infoFields, sandboxId: z.string() });
export type SandboxAnswer = z.infer<typeof SandboxAnswer>;

/** A plan that is saved as a new file of the repository. */
export const PlanFile = z.strictObject({
  path: z.string().check(z.regex(/^plans\/[\w.-]{1,100}\.md$/, "must be plans/NAME.md")),
  text: z.string(),
});
export const SavedPlanFile = z.object({ path: z.string() });

/** The changes since a snapshot, as two unified diffs: those that the sandbox's own calls made, and those of others. */
export const Changes = z.object({
  own: z.string(),
  others: z.string(),
  truncated: z.boolean(),
  /** Files in which others changed the same lines as this sandbox. */
  mixed: z.array(z.string()),
  /** Commits that contain files exactly as they are now, each as `HASH SUBJECT`. */
  commits: z.array(z.object({ commit: z.string(), files: z.array(z.string()) })),
  /** Absent = `start`. */
  countedFrom: z.optional(CountedFrom),
});
export type Changes = z.infer<typeof Changes>;

export const Tree = z.object({
  entries: z.array(z.object({ path: z.string(), type: z.string(), size: z.number() })),
  truncated: z.boolean(),
});
export type Tree = z.infer<typeof Tree>;

const Counts = z.catchall(z.object({}), z.number());

/**
 * Present if sessions run in guests. The engines count the guests; this process counts waiting requests and money
 * spent.
 */
export const GuestCounts = z.object({
  /** Keys: `ready`, `starting`, `asleep`, `gone`. */
  states: Counts,
  dollarsPerHour: z.number(),
  waiting: z.number(),
  /** The maximum number of guests that may be awake at once. */
  limit: z.optional(z.number()),
  /** The daily budget in US dollars (days in UTC). */
  budget: z.optional(z.number()),
  spentToday: z.optional(z.number()),
});
export type GuestCounts = z.infer<typeof GuestCounts>;

/** Counters of one process since `since` (milliseconds since the epoch); a key appears with its first count. */
export const MetricsReport = z.object({
  since: z.number(),
  /** Responses by status class (`2xx`, `4xx` …); `429` is counted separately. */
  requests: Counts,
  /** Keys: `started`, `interrupted`, `failed`, and each reason of `turn.done`. */
  turns: Counts,
  /**
   * `calls` counts requests that reported usage; the other keys count their tokens, and malformed tool calls by kind.
   */
  model: Counts,
  guests: z.optional(GuestCounts),
});
export type MetricsReport = z.infer<typeof MetricsReport>;
