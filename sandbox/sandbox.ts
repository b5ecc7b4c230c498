// One sandbox as the rest of the server sees it: its folder, its journal, what it may do. Made by the registry only.
import * as z from "zod/mini";
import { HandrailError } from "../shared/errors.ts";
import type { SandboxInfo } from "../shared/sandbox.ts";
import { Source } from "../shared/sandbox.ts";
import type { SandboxJournal } from "./journal/sandbox-journal.ts";
import type { Folder } from "./workspace/folder.ts";

/** What is kept of a sandbox in its state folder, beside the journal. */
export const SandboxRecord = z.object({
  id: z.string(),
  state: z.enum(["ready", "preparing", "failed"]),
  /** A name for people. */
  workspace: z.string(),
  source: z.nullable(Source),
  network: z.enum(["none", "full"]),
  /** Real path of the folder it works in. */
  root: z.string(),
  /** true = the folder is this sandbox's own copy and goes with it. */
  owned: z.boolean(),
  createdAt: z.number(),
  baseSnapshot: z.optional(z.string()),
  problem: z.optional(z.string()),
});
export type SandboxRecord = z.infer<typeof SandboxRecord>;

export interface Sandbox {
  record: SandboxRecord;
  folder: Folder;
  journal: SandboxJournal;
  /** The sandbox's own state folder. */
  dir: string;
  /** Set while the workspace is being made; never rejects. */
  preparing?: Promise<void>;
  /** Set while the snapshot of the beginning is taken; never rejects. */
  beginning?: Promise<void>;
}

/** Waits until the workspace is there; throws when making it failed. */
export async function ready(sandbox: Sandbox): Promise<Sandbox> {
  await sandbox.preparing;
  if (sandbox.record.state === "failed") {
    const why = sandbox.record.problem ?? "It is not known why.";
    throw new HandrailError(
      "invalid_request",
      `The workspace of this sandbox could not be made. ${why} Make a new sandbox.`,
    );
  }
  return sandbox;
}

/** Where a command sees the workspace: a person's folder keeps its path, since tools write it into caches and links. */
export function mountOf({ record }: Sandbox): string {
  return record.owned ? "/workspace" : record.root;
}

/** The answer about a sandbox without what has to be measured. */
export function infoOf({ record, journal }: Sandbox): SandboxInfo {
  const running = [...journal.calls.values()].flatMap(({ key, op, state }) =>
    state.at === "running" && op === "exec"
      ? [{ key, command: state.run.command, startedAt: state.run.startedAt }]
      : [],
  );
  return {
    id: record.id,
    state: record.state,
    workspace: record.workspace,
    ...(record.baseSnapshot === undefined ? {} : { baseSnapshot: record.baseSnapshot }),
    proposal: journal.facts.proposal,
    running,
  };
}
