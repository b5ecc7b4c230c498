// One sandbox as the rest of the server sees it: its folder, its journal, what it may do. Made by the registry only.
import { join } from "node:path";
import * as z from "zod/mini";
import { HandrailError } from "../shared/errors.ts";
import { Head } from "../shared/look.ts";
import { AllowedHost, Network } from "../shared/network.ts";
import { type CloneProgress, type SandboxInfo, Source } from "../shared/sandbox.ts";
import { writeWhole } from "./files.ts";
import type { SandboxJournal } from "./journal/sandbox-journal.ts";
import { waitAtMost } from "./wait-at-most.ts";
import type { DiskQuota } from "./workspace/disk-quota.ts";
import type { Folder } from "./workspace/folder.ts";
import type { OwnChanges } from "./workspace/own-changes.ts";

/** What is kept of a sandbox in its state folder, beside the journal. */
export const SandboxRecord = z.object({
  id: z.string(),
  state: z.enum(["ready", "preparing", "failed"]),
  /** A name for people. */
  workspace: z.string(),
  source: z.nullable(Source),
  network: Network,
  /** Hosts that a person allowed its commands. */
  hosts: z.optional(z.array(AllowedHost)),
  /** Hosts of the repository's remotes as they were when it was made, in the form of a rule. */
  remotes: z.optional(z.array(z.string())),
  /** Real path of the folder it works in. */
  root: z.string(),
  /** true = the folder is this sandbox's own copy and goes with it. */
  owned: z.boolean(),
  createdAt: z.number(),
  baseSnapshot: z.optional(z.string()),
  /** Where HEAD was when this sandbox last saw it. */
  head: z.optional(Head),
  /** What lay in the folder when the sandbox was made, as the disk quota counts it. */
  baseBytes: z.optional(z.number()),
  problem: z.optional(z.string()),
});
export type SandboxRecord = z.infer<typeof SandboxRecord>;

export interface Sandbox {
  record: SandboxRecord;
  folder: Folder;
  journal: SandboxJournal;
  quota: DiskQuota;
  /** Tells its changes from those of others; undefined = nobody else writes to its folder. */
  own?: OwnChanges;
  /** The sandbox's own state folder. */
  dir: string;
  /** Set while the workspace is being made; never rejects. */
  preparing?: Promise<void>;
  progress?: CloneProgress;
  /** Aborted when it is deleted: nothing more starts in it, and what runs is ended. */
  readonly ending: AbortController;
  /** Batches and uploads on their way. */
  readonly work: Set<Promise<unknown>>;
  /** Set while the snapshot of the beginning is taken; never rejects. */
  beginning?: Promise<void>;
}

/** Writes down what is kept of it. */
export function saveRecord({ dir, record }: Pick<Sandbox, "dir" | "record">): Promise<void> {
  return writeWhole(join(dir, "sandbox.json"), JSON.stringify(record), true);
}

/** How long a request waits for a workspace that is being made: proxies cut silent connections. */
export const preparingWaitMs = 20_000;

/** Waits a while for the workspace; throws when it is not there then, or could not be made. */
export async function ready(sandbox: Sandbox): Promise<Sandbox> {
  await waitAtMost(sandbox.preparing, preparingWaitMs);
  const { state, problem } = sandbox.record;
  if (sandbox.ending.signal.aborted) throw unknownSandbox();
  if (state === "preparing") {
    const { progress } = sandbox;
    const how = progress ? ` (${progress.stage}, ${progress.percent} %)` : "";
    throw new HandrailError(
      "sandbox_unreachable",
      `The repository is still being cloned${how}. Send it again in a while.`,
      { retryable: true, details: { state, ...(progress ? { progress } : {}) } },
    );
  }
  if (state === "failed") {
    const why = problem ?? "It is not known why.";
    throw new HandrailError(
      "invalid_request",
      `The workspace of this sandbox could not be made. ${why} Make a new sandbox.`,
    );
  }
  return sandbox;
}

export function unknownSandbox(): HandrailError {
  return new HandrailError("not_found", "This sandbox does not exist. Make one with POST /v1/sandboxes.");
}

/** Where a command sees the workspace: a person's folder keeps its path, since tools write it into caches and links. */
export function mountOf({ record }: Sandbox): string {
  return record.owned ? "/workspace" : record.root;
}

/** The answer about a sandbox without what has to be measured. */
export function infoOf({ record, journal, progress }: Sandbox): SandboxInfo {
  const running = [...journal.calls.values()].flatMap(({ key, op, state }) =>
    state.at === "running" && op === "exec" && state.run.startedAt !== undefined
      ? [{ key, command: state.run.command, startedAt: state.run.startedAt }]
      : [],
  );
  return {
    id: record.id,
    state: record.state,
    workspace: record.workspace,
    ...(record.state === "preparing" && progress ? { progress } : {}),
    ...(record.state === "failed" && record.problem !== undefined ? { problem: record.problem } : {}),
    ...(record.baseSnapshot === undefined ? {} : { baseSnapshot: record.baseSnapshot }),
    network: record.network,
    hosts: record.hosts ?? [],
    proposal: journal.facts.proposal,
    grants: journal.facts.permissions.kept,
    running,
  };
}
