// A disk that takes nothing any more, in words: which one, why, and what to do. A message that a client gets never carries a host path.
import { HandrailError } from "../../shared/errors.ts";

type DiskTrouble = "full" | "quota" | "read_only";
/** Which disk: that of the server's own state, or that of the files which commands work on. */
export type DiskFolder = "state" | "workspace";

const reasons: Readonly<Record<string, DiskTrouble>> = {
  ENOSPC: "full",
  EDQUOT: "quota",
  EROFS: "read_only",
};

/**
 * `error`, or what caused it, as `disk_full`; undefined if no disk is to blame. `remedy`: what to do once there is
 * room, by default the request again.
 */
export function diskError(
  error: unknown,
  folder: DiskFolder,
  remedy = remedies[folder],
): HandrailError | undefined {
  const reason = reasonOf(error);
  if (reason === undefined) return undefined;
  return new HandrailError("disk_full", `${what(reason, disks[folder])} ${room(reason)}, ${remedy}`, {
    retryable: true,
    details: { reason, folder },
    cause: error,
  });
}

/** The same of a server that could not start, for whoever started it; `state`: its state folder. */
export function startDiskWords(error: unknown, state: string): string | undefined {
  const reason = reasonOf(error);
  if (reason === undefined) return undefined;
  return `${what(reason, `The disk that holds the state folder ${state} (HANDRAIL_STATE, or --state)`)} ${room(reason)}, then start the server again: what it has kept is still there.`;
}

function reasonOf(error: unknown, depth = 0): DiskTrouble | undefined {
  if (!(error instanceof Error) || (error instanceof HandrailError && error.code !== "internal"))
    return undefined;
  if ("code" in error && typeof error.code === "string" && error.code in reasons) return reasons[error.code];
  // What git says of it, in the C locale; the second is csum-file.c.
  if (/No space left on device|Out of diskspace/.test(error.message)) return "full";
  if (error.message.includes("Disk quota exceeded")) return "quota";
  return depth < 4 ? reasonOf(error.cause, depth + 1) : undefined;
}

/** For the result of a call; its turn continues without it. */
export const callFailed = "which only the person can do; this call failed, and can then be made again.";

const disks: Readonly<Record<DiskFolder, string>> = {
  state: "The disk that holds the sandbox server's state folder (HANDRAIL_STATE, or --state)",
  workspace: "The disk that holds the workspace",
};

const remedies: Readonly<Record<DiskFolder, string>> = {
  state: "then send it again: nothing was taken in and nothing was started, and it continues where it was.",
  workspace: "then try again.",
};

function what(reason: DiskTrouble, disk: string): string {
  if (reason === "full") return `${disk} is full.`;
  if (reason === "read_only") return `${disk} is read-only.`;
  return `${disk}: the quota of the server's user is used up.`;
}

function room(reason: DiskTrouble): string {
  return reason === "read_only"
    ? "Make it writable; a failing disk is often read-only, as the machine's log says"
    : "Make room on it";
}
