// The sandbox API /v1 (PROTOCOL 4): the requests and results that the edge and the sandbox server share.
import * as z from "zod/mini";
import { BackgroundInfo, BackgroundState } from "./background.ts";
import { ErrorInfo } from "./errors.ts";
import { JournalEvent } from "./event.ts";
import { KeptGrant } from "./grant.ts";
import { Edit } from "./hashline/edit.ts";
import { AllowedHost, Network, Opened, RefusedHost } from "./network.ts";
import { StateFolder } from "./state-folder.ts";
import { WantsWorktree, WorktreeInfo } from "./worktree.ts";

export const SandboxId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,100}$/, "1 to 100 of A-Z a-z 0-9 _ -"));

export const Source = z.union([
  z.strictObject({ git: z.string(), ref: z.optional(z.string()) }),
  z.strictObject({ path: z.string() }),
  z.strictObject({ sample: z.literal(true) }),
]);
export type Source = z.infer<typeof Source>;

export const CreateSandbox = z.strictObject({
  id: z.optional(SandboxId),
  source: z.optional(Source),
  network: z.optional(Network),
  /** For a served folder; absent = the sandbox works directly in the folder. */
  worktree: z.optional(WantsWorktree),
});
export type CreateSandbox = z.infer<typeof CreateSandbox>;

/** The progress of a clone: the current step in git's words, and how much of that step is done. */
export const CloneProgress = z.object({ stage: z.string(), percent: z.number() });
export type CloneProgress = z.infer<typeof CloneProgress>;

/**
 * The guest machine that an engine created for one sandbox.
 * - `costPerHour`: US dollars while it is awake.
 * - `startingMs`: how long it has been starting.
 * - `snapshotAt`: it is gone, and can be recreated from a copy made at this time (milliseconds since the epoch),
 *   without later work.
 * - `lostSince`: it woke up without anything that was written after this time.
 * - `isolation`: how it says that it isolates its commands.
 * - `image`: its image, if it is not the server's default; `wantsImage`: another image that its repository names and
 *   that it may get.
 */
export const GuestInfo = z.object({
  engine: z.string(),
  costPerHour: z.optional(z.number()),
  startingMs: z.optional(z.number()),
  snapshotAt: z.optional(z.number()),
  lostSince: z.optional(z.number()),
  isolation: z.optional(z.string()),
  image: z.optional(z.string()),
  wantsImage: z.optional(z.string()),
});
export type GuestInfo = z.infer<typeof GuestInfo>;

/**
 * `workspace`: a name for people, never a host path. `branch`: where HEAD is. `problem`: why the sandbox is `failed`.
 */
export const SandboxInfo = z.object({
  id: z.string(),
  /** The last three states exist only for guests: see `guest`. */
  state: z.literal(["ready", "preparing", "failed", "starting", "asleep", "gone"]),
  workspace: z.string(),
  branch: z.optional(z.string()),
  /** Present while the sandbox is `preparing` from a git URL. */
  progress: z.optional(CloneProgress),
  problem: z.optional(z.string()),
  /** The snapshot taken when the sandbox was created; `since` defaults to it. */
  baseSnapshot: z.optional(z.string()),
  network: z.optional(Network),
  hosts: z.optional(z.array(AllowedHost)),
  /** For the network `none`: the exceptions that the person allowed on the phone. */
  opened: z.optional(Opened),
  /** Disk usage in bytes: allocated blocks rather than file lengths. */
  sizes: z.optional(z.object({ journalBytes: z.number(), snapshotBytes: z.number() })),
  /** How much it has written to the disk, as last measured, and how much it may. */
  disk: z.optional(z.object({ usedBytes: z.number(), quotaBytes: z.number() })),
  stateFolder: z.optional(StateFolder),
  /** Other sandboxes that are running a turn in the same folder, or in one above or below it. */
  together: z.optional(z.array(z.string())),
  /** Present if the sandbox works in its own git worktree. */
  worktree: z.optional(WorktreeInfo),
  proposal: z.optional(z.nullable(z.object({ planVersion: z.number(), planHash: z.string() }))),
  /** Permissions that the person gave for the session here and has not revoked. */
  grants: z.optional(z.array(KeptGrant)),
  running: z.optional(z.array(z.object({ key: z.string(), command: z.string(), startedAt: z.number() }))),
  background: z.optional(z.array(BackgroundInfo)),
  guest: z.optional(GuestInfo),
});
export type SandboxInfo = z.infer<typeof SandboxInfo>;

export const Access = z.literal(["readonly", "write"]);
export type Access = z.infer<typeof Access>;

export const OpName = z.literal([
  "read",
  "list",
  "search",
  "change",
  "exec",
  "git",
  "snapshot",
  "restore",
  "look",
  "background",
  "commit",
]);
export type OpName = z.infer<typeof OpName>;

// ---- Arguments

const path = z.string();
const lineNumber = z.number().check(z.int(), z.positive());

/** Lines from 1, both included; without `end`, to the end of the file. */
export const LineRange = z.strictObject({ start: lineNumber, end: z.optional(lineNumber) });
export type LineRange = z.infer<typeof LineRange>;

/** `ranges`, in place of `start` and `end`, asks for several parts of a file in one answer. */
export const ReadArgs = z.strictObject({
  path,
  start: z.optional(lineNumber),
  end: z.optional(lineNumber),
  ranges: z.optional(z.array(LineRange).check(z.minLength(1), z.maxLength(50))),
});
export type ReadArgs = z.infer<typeof ReadArgs>;

export const ListArgs = z.strictObject({
  path: z.optional(path),
  depth: z.optional(z.number().check(z.int(), z.positive())),
  glob: z.optional(z.string()),
  limit: z.optional(z.number().check(z.int(), z.positive())),
});
export type ListArgs = z.infer<typeof ListArgs>;

export const SearchArgs = z.strictObject({
  pattern: z.string(),
  regex: z.optional(z.boolean()),
  glob: z.optional(z.string()),
  context: z.optional(z.number().check(z.int(), z.nonnegative(), z.lte(20))),
  limit: z.optional(z.number().check(z.int(), z.positive())),
});
export type SearchArgs = z.infer<typeof SearchArgs>;

export const FileChange = z.union([
  z.strictObject({ path, base: z.optional(z.string()), edits: z.array(Edit) }),
  z.strictObject({ path, content: z.string(), base: z.nullable(z.string()) }),
  z.strictObject({ path, delete: z.literal(true), base: z.string() }),
  z.strictObject({ path, moveTo: z.string(), base: z.string() }),
]);
export type FileChange = z.infer<typeof FileChange>;

/** The person allows this call to write to settings of editors and shells, which can start programs. */
const editors = z.optional(z.boolean());

export const ChangeArgs = z.strictObject({ files: z.array(FileChange).check(z.minLength(1)), editors });
export type ChangeArgs = z.infer<typeof ChangeArgs>;

export const ExecArgs = z.strictObject({
  command: z.string().check(z.minLength(1)),
  cwd: z.optional(z.string()),
  env: z.optional(z.catchall(z.object({}), z.string())),
  timeoutMs: z.optional(z.number().check(z.int(), z.positive(), z.lte(600_000))),
  maxOutputBytes: z.optional(z.number().check(z.int(), z.positive())),
  editors,
  /** If the sandbox's network is `none`: the person allows this command to reach the registries and these hosts. */
  network: z.optional(z.array(z.string()).check(z.maxLength(50))),
  /**
   * A snapshot id, or `start` for the creation of the sandbox: the command runs in a temporary copy of those files,
   * without a network.
   */
  tree: z.optional(z.string()),
  /** The command continues in the background; the op `background` reads its further output and ends it. */
  background: z.optional(z.boolean()),
});
export type ExecArgs = z.infer<typeof ExecArgs>;

// ---- Values

export const ReadValue = z.object({
  path: z.string(),
  version: z.string(),
  start: z.number(),
  end: z.number(),
  total: z.number(),
  /** Hashline text with one row for each line, without the header. */
  rows: z.string(),
  truncated: z.boolean(),
  /** The requested ranges that are not in `rows`. */
  rest: z.optional(z.array(LineRange)),
});
export type ReadValue = z.infer<typeof ReadValue>;

export const ListEntry = z.object({
  ...{ path: z.string(), size: z.number() },
  type: z.literal(["file", "dir", "symlink", "other"]),
});
export type ListEntry = z.infer<typeof ListEntry>;
export const ListValue = z.object({ entries: z.array(ListEntry), truncated: z.boolean() });
export type ListValue = z.infer<typeof ListValue>;

/** `total`: the number of lines in the file; `lines`: the matching ones. */
export const SearchMatch = z.object({
  ...{ path: z.string(), version: z.string(), rows: z.string() },
  ...{ total: z.optional(z.number()), lines: z.optional(z.array(z.number())) },
});
export type SearchMatch = z.infer<typeof SearchMatch>;
export const SearchValue = z.object({ matches: z.array(SearchMatch), truncated: z.boolean() });
export type SearchValue = z.infer<typeof SearchValue>;

/** `version` is null if the file is gone (deleted or moved away). `diff` is a unified diff. */
export const ChangedFile = z.object({
  ...{ path: z.string(), version: z.nullable(z.string()) },
  ...{ added: z.number(), removed: z.number() },
  ...{ rows: z.string(), diff: z.string() },
  warnings: z.array(z.string()),
});
export type ChangedFile = z.infer<typeof ChangedFile>;
export const ChangeValue = z.object({ files: z.array(ChangedFile) });
export type ChangeValue = z.infer<typeof ChangeValue>;

export const ExecValue = z.object({
  exitCode: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  timedOut: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  /** The hosts that the proxy refused, if the command goes through the proxy. */
  refusedHosts: z.optional(z.array(RefusedHost)),
  /**
   * If the command failed: the restrictions of its jail, namely whether it could only read, and the network that
   * commands with write access have.
   */
  held: z.optional(
    z.object({
      readonly: z.boolean(),
      network: Network,
      /** The person does not want to be asked about the network. */
      never: z.optional(z.boolean()),
    }),
  ),
  /** For a background command: what it has printed since the last read is all in `stdout`. */
  background: z.optional(BackgroundState),
});
export type ExecValue = z.infer<typeof ExecValue>;

// ---- Calls

/** Identifies a call in the journals of its sandbox. */
export const CallKey = z.string().check(z.minLength(1), z.maxLength(200));

export const Call = z.strictObject({ key: CallKey, op: OpName, args: z.looseObject({}) });
export type Call = z.infer<typeof Call>;

export const TurnRecord = z.strictObject({
  id: SandboxId,
  epoch: z.number().check(z.int(), z.positive()),
  round: z.number().check(z.int(), z.nonnegative()),
  record: z._default(z.array(JournalEvent), []),
});
export type TurnRecord = z.infer<typeof TurnRecord>;

export const CallsRequest = z.strictObject({
  access: z._default(Access, "readonly"),
  turn: z.optional(TurnRecord),
  calls: z.array(Call).check(z.maxLength(200)),
});
export type CallsRequest = z.infer<typeof CallsRequest>;
export type CallsRequestInput = z.input<typeof CallsRequest>;

export const CallResult = z.object({
  key: z.string(),
  ok: z.boolean(),
  value: z.optional(z.unknown()),
  error: z.optional(ErrorInfo),
  replayed: z._default(z.boolean(), false),
  /** When the result was recorded. */
  at: z.number(),
  ms: z.number(),
  /**
   * true = this answer is not final: either the request was refused, which is not stored, or the turn was stopped or
   * taken over.
   */
  hold: z.optional(z.boolean()),
});
export type CallResult = z.infer<typeof CallResult>;
