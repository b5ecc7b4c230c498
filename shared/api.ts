// The smaller answers of the edge API /api (PROTOCOL 3.2).
import * as z from "zod/mini";
import { Capabilities } from "./capabilities.ts";
import { Network } from "./network.ts";
import { SandboxId, SandboxInfo, Source } from "./sandbox.ts";
import { WantsWorktree } from "./worktree.ts";

export const Health = z.object({ ok: z.literal(true), version: z.string() });
export type Health = z.infer<typeof Health>;

/** `price`: present where costs are known; its form is the server's. */
export const ModelInfo = z.object({
  id: z.string(),
  contextWindow: z.number(),
  price: z.optional(z.unknown()),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** `demo`: a scripted stand-in, which every screen must name as such. */
export const ProviderInfo = z.object({
  id: z.string(),
  label: z.string(),
  models: z.array(ModelInfo),
  demo: z.boolean(),
  /** Why it cannot be used, in words: its key is not accepted, or nobody answers at its address. */
  problem: z.optional(z.string()),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

const { engine, isolation, readonlyExec, seccomp, network, worktrees, engines } = Capabilities.shape;

export const Config = z.object({
  providers: z.array(ProviderInfo),
  sandbox: z.object({ engine, isolation, readonlyExec, seccomp, network, worktrees, engines }),
  limits: z.catchall(z.object({}), z.number()),
  /** What a sandbox without a `source` gets: the served folder's name, or a fresh copy of the sample project. */
  workspace: z.optional(z.object({ kind: z.enum(["folder", "sample"]), name: z.string() })),
  /** false = this host pauses a turn soon after the client goes away. */
  continuesUnattended: z.optional(z.boolean()),
  /** true = an interrupted turn also continues by itself; false or missing = it waits for a client. */
  unattended: z.optional(z.boolean()),
  /** What a browser subscribes with (VAPID, unpadded base64url); null = this server calls no phones. */
  push: z.optional(z.nullable(z.object({ publicKey: z.string() }))),
});
export type Config = z.infer<typeof Config>;

export const CreateSandboxRequest = z.strictObject({
  source: z.optional(Source),
  /** Missing = what the sandbox server was started with. */
  network: z.optional(Network),
  worktree: z.optional(WantsWorktree),
  /** The engine, if there are several (`sandbox.engines` of the config); missing = the first. */
  engine: z.optional(z.string()),
  /** If engines make guests: the same key makes one guest, however often the request is sent. */
  key: z.optional(SandboxId),
});
export type CreateSandboxRequest = z.infer<typeof CreateSandboxRequest>;

const { id: _, ...infoFields } = SandboxInfo.shape;
export const SandboxAnswer = z.object({ ...infoFields, sandboxId: z.string() });
export type SandboxAnswer = z.infer<typeof SandboxAnswer>;

/** A plan to be saved as a new file of the repository. */
export const PlanFile = z.strictObject({
  path: z.string().check(z.regex(/^plans\/[\w.-]{1,100}\.md$/, "must be plans/NAME.md")),
  text: z.string(),
});
export const SavedPlanFile = z.object({ path: z.string() });

/** The differences since a snapshot, as two unified diffs: by the sandbox's own calls, and by others. */
export const Changes = z.object({
  own: z.string(),
  others: z.string(),
  truncated: z.boolean(),
  /** Files in which others changed the same lines as this sandbox. */
  mixed: z.array(z.string()),
  /** Commits that hold files as they are now, `HASH SUBJECT` each. */
  commits: z.array(z.object({ commit: z.string(), files: z.array(z.string()) })),
});
export type Changes = z.infer<typeof Changes>;

export const Tree = z.object({
  entries: z.array(z.object({ path: z.string(), type: z.string(), size: z.number() })),
  truncated: z.boolean(),
});
export type Tree = z.infer<typeof Tree>;

const Counts = z.catchall(z.object({}), z.number());

/** If sessions have guests. Engines count them; waiting requests and money spent are counted by the answering process. */
export const GuestCounts = z.object({
  /** `ready`, `starting`, `asleep`, `gone`. */
  states: Counts,
  dollarsPerHour: z.number(),
  waiting: z.number(),
  /** How many may be awake at once. */
  limit: z.optional(z.number()),
  /** US dollars a day (UTC). */
  budget: z.optional(z.number()),
  spentToday: z.optional(z.number()),
});
export type GuestCounts = z.infer<typeof GuestCounts>;

/** Counts of one process since `since` (milliseconds since the epoch); a key appears once it was counted. */
export const MetricsReport = z.object({
  since: z.number(),
  /** Answers by status class, `2xx`, `4xx` …, and `429` separately. */
  requests: Counts,
  /** `started`, `interrupted`, `failed`, and each reason of `turn.done`. */
  turns: Counts,
  /** `calls` that reported usage, their tokens, malformed tool calls by kind. */
  model: Counts,
  guests: z.optional(GuestCounts),
});
export type MetricsReport = z.infer<typeof MetricsReport>;
