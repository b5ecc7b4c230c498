// Messages for a disk that accepts no more data: which one, why, and what to do. A message for a client never
// contains a path of this machine.
import { HandrailError } from "../../shared/errors.ts";

type DiskTrouble = "full" | "quota" | "read_only";
/** Which disk: the one with the server's own state, or the one with the files that commands work on. */
export type DiskFolder = "state" | "workspace";

const reasons: Readonly<Record<string, DiskTrouble>> = {
  ENOSPC: "full",
  EDQUOT: "quota",
  EROFS: "read_only",
};

/**
 * `disk_full` if `error` or one of its causes comes from a full disk, otherwise undefined. `remedy`: what to
 * do when there is room; by default, to send the request again.
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

/** The same message for the person who started a server that could not start. `state`: its state folder. */
export function startDiskWords(error: unknown, state: string): string | undefined {
  const reason = reasonOf(error);
  if (reason === undefined) return undefined;
  return `${what(reason, `The disk that holds the state folder ${state} (HANDRAIL_STATE, or --state)`)} ${room(reason)}, then start the server again: what it has kept is still there.`;
}

function reasonOf(error: unknown, depth = 0): DiskTrouble | undefined {
  if (!(error instanceof Error) || (error instanceof HandrailError && error.code !== "internal"))
    return undefined;
  if ("code" in error && typeof error.code === "string" && error.code in reasons) return reasons[error.code];
  // Git's messages in the C locale. The second comes from csum-file.c.
  if (/No space left on device|Out of diskspace/.test(error.message)) return "full";
  if (error.message.includes("Disk quota exceeded")) return "quota";
  return depth < 4 ? reasonOf(error.cause, depth + 1) : undefined;
}

/** For the result of a call, whose turn continues without it. */
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
