// One sandbox as the rest of the server sees it: its folder, its journal, its permissions. Only the registry
// makes one.
import { basename, join } from "node:path";
import * as z from "zod/mini";
import { HandrailError } from "../shared/errors.ts";
import { CountedFrom } from "../shared/git.ts";
import { Head } from "../shared/look.ts";
import { AllowedHost, Network, Opened } from "../shared/network.ts";
import type { Redactor } from "../shared/redact/redactor.ts";
import { type CloneProgress, type SandboxInfo, Source } from "../shared/sandbox.ts";
import type { WorktreeInfo } from "../shared/worktree.ts";
import type { BackgroundCommands } from "./exec/background-command.ts";
import { writeWhole } from "./files.ts";
import type { SandboxJournal } from "./journal/sandbox-journal.ts";
import { waitAtMost } from "./wait-at-most.ts";
import type { DiskQuota } from "./workspace/disk-quota.ts";
import type { Folder } from "./workspace/folder.ts";
import type { OwnChanges } from "./workspace/own-changes.ts";
import { Snapshots } from "./workspace/snapshots.ts";

/** A git worktree that a sandbox works in. */
export const WorktreeRecord = z.object({
  /** Real path of the folder to which its work is brought back. */
  of: z.string(),
  branch: z.string(),
  /** The branch that the folder was on; null = detached. */
  from: z.nullable(z.string()),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

/**
 * A sandbox that got a worktree still has to remove its changes from the folder at `root`: from the tree
 * `now` to the tree `rest`.
 */
const Leaving = z.object({ root: z.string(), now: z.string(), rest: z.string() });

/** A sandbox's record in its state folder, next to the journal. */
export const SandboxRecord = z.object({
  id: z.string(),
  state: z.literal(["ready", "preparing", "failed"]),
  /** A name for people to read. */
  workspace: z.string(),
  source: z.nullable(Source),
  network: Network,
  /** Hosts that a person allowed for its commands. */
  hosts: z.optional(z.array(AllowedHost)),
  /** The network that a person opened for it although it has none. */
  opened: z.optional(Opened),
  /** Hosts of the repository's remotes when the sandbox was made, as host rules. */
  remotes: z.optional(z.array(z.string())),
  /** Real path of the folder that it works in. */
  root: z.string(),
  /** true = the folder is this sandbox's own copy and is deleted with it. */
  owned: z.boolean(),
  worktree: z.optional(WorktreeRecord),
  /** true = its clone has a branch of its own, or turned out to need none. */
  branched: z.optional(z.boolean()),
  leaving: z.optional(Leaving),
  createdAt: z.number(),
  baseSnapshot: z.optional(z.string()),
  /** HEAD when this sandbox last saw it. */
  head: z.optional(Head),
  /** How long git's log of HEAD was when its moves were last followed. */
  headLog: z.optional(z.number()),
  /** Absent while HEAD is where it was at first. All ids are full. */
  countedFrom: z.optional(
    z.object({
      ...CountedFrom.shape,
      /** HEAD before the first of these moves, and after the last one. */
      from: z.string(),
      head: z.string(),
    }),
  ),
  /** The folder's contents when the sandbox was made, as the disk quota counts them. */
  baseBytes: z.optional(z.number()),
  baseFiles: z.optional(z.number()),
  problem: z.optional(z.string()),
});
export type SandboxRecord = z.infer<typeof SandboxRecord>;

export interface Sandbox {
  record: SandboxRecord;
  folder: Folder;
  journal: SandboxJournal;
  background: BackgroundCommands;
  quota: DiskQuota;
  /**
   * Tells its changes from those of others; undefined = no one else writes to its folder, or there is no git.
   */
  own?: OwnChanges;
  /** The sandbox's own state folder. */
  dir: string;
  /** Set while the workspace is being made. Never rejects. */
  preparing?: Promise<void>;
  progress?: CloneProgress;
  /** Aborted when the sandbox is deleted: nothing more starts in it, and running commands are ended. */
  readonly ending: AbortController;
  /**
   * Work in progress that a deletion waits for: batches, uploads, pushes, and the measurement of its disk
   * use.
   */
  readonly work: Set<Promise<unknown>>;
  /** How many of its calls that may move HEAD are running, those in the background aside. */
  moving: number;
  /** Set while the first snapshot is being taken. Never rejects. */
  beginning?: Promise<void>;
}

/** Writes the record. */
export function saveRecord({ dir, record }: Pick<Sandbox, "dir" | "record">): Promise<void> {
  return writeWhole(join(dir, "sandbox.json"), JSON.stringify(record), true);
}

/**
 * How long a request waits for a workspace that is being made. Longer waits risk the connection, because
 * proxies cut silent ones.
 */
export const preparingWaitMs = 20_000;

/** Waits a while for the workspace. Throws if it is not ready by then or could not be made. */
export async function ready(sandbox: Sandbox): Promise<Sandbox> {
  await waitAtMost(sandbox.preparing, preparingWaitMs);
  const { state, problem } = sandbox.record;
  if (sandbox.ending.signal.aborted) throw unknownSandbox();
  if (state === "preparing") {
    const { progress } = sandbox;
    const how = progress ? ` (${progress.stage}, ${progress.percent} %)` : "";
    throw new HandrailError(
      "sandbox_unreachable",
      `The files are not ready yet${how}. Send it again in a while.`,
      { retryable: true, details: { state, ...(progress ? { progress } : {}) } },
    );
  }
  if (state === "failed") {
    const why = problem ?? "It is not known why.";
    throw new HandrailError(
      "invalid_request",
      `The workspace of this sandbox could not be made. ${why} Begin a new session.`,
    );
  }
  return sandbox;
}

export function unknownSandbox(): HandrailError {
  return new HandrailError("not_found", "This sandbox does not exist. Make one with POST /v1/sandboxes.");
}

/**
 * The path at which a command sees the workspace. A person's folder keeps its own path, because tools write
 * it into caches and links.
 */
export function mountOf({ record }: Sandbox): string {
  return record.owned || record.worktree ? "/workspace" : record.root;
}

function worktreeInfo({ of, branch, from }: WorktreeRecord, { redact }: Redactor): WorktreeInfo {
  return { branch: redact(branch), folder: basename(of), from: from && redact(from) };
}

/** The description of a sandbox, without values that have to be measured. Names of branches may hold secrets. */
export function infoOf({ record, journal, progress, background }: Sandbox, redactor: Redactor): SandboxInfo {
  const running = [...journal.calls.values()].flatMap(({ key, op, state }) =>
    state.at === "running" && op === "exec" && state.run.startedAt !== undefined
      ? [{ key, command: state.run.command, startedAt: state.run.startedAt }]
      : [],
  );
  const beside = background.running.filter((one) => !one.abort.signal.aborted).map((one) => one.info());
  return {
    id: record.id,
    state: record.state,
    workspace: record.workspace,
    ...(record.state === "preparing" && progress ? { progress } : {}),
    ...(record.state === "failed" && record.problem !== undefined ? { problem: record.problem } : {}),
    ...(record.baseSnapshot === undefined ? {} : { baseSnapshot: record.baseSnapshot }),
    ...(record.worktree ? { worktree: worktreeInfo(record.worktree, redactor) } : {}),
    network: record.network,
    hosts: record.hosts ?? [],
    ...(record.opened ? { opened: record.opened } : {}),
    proposal: journal.facts.proposal,
    grants: journal.facts.permissions.kept,
    running,
    ...(beside.length > 0 ? { background: beside } : {}),
  };
}

/** Whether a call or a background command is running in the sandbox. */
export function isRunning({ journal, background }: Sandbox): boolean {
  return (
    background.running.length > 0 || [...journal.calls.values()].some(({ state }) => state.at === "running")
  );
}

/**
 * Ends everything that runs in the sandbox. Resolves when its background commands have ended; other calls
 * report their own ends.
 */
export function endRunning({ journal, background }: Sandbox): Promise<void> {
  for (const { state } of journal.calls.values())
    if (state.at === "running" || state.at === "reserved") state.run.abort.abort();
  return background.endAll();
}

/**
 * Takes the first snapshot if there is none yet. The caller must hold the folder's lock. Rejects if it cannot
 * be taken.
 */
export async function beginIn({ record, folder, own, dir, ending }: Sandbox): Promise<void> {
  if (!Snapshots.available || record.baseSnapshot !== undefined || ending.signal.aborted) return;
  const baseSnapshot = await folder.snapshots.take(record.id);
  await own?.begin(baseSnapshot);
  await saveRecord({ dir, record: { ...record, baseSnapshot } });
  record.baseSnapshot = baseSnapshot;
}
