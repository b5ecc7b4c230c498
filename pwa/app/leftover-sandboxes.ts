// Sandboxes of sessions that were deleted on this device. They stay noted until the server has deleted them too,
// however long that takes.
import { HandrailError } from "../../shared/errors.ts";
import { isObject } from "../../shared/is-record.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import type { Put } from "../storage/session-store.ts";
import { api, config, kv } from "./app-state.ts";

const prefix = "leftover/";

/** Returns the note to store when a session is deleted; none if another device may work in its sandbox. */
export function leftoverOf({ sandboxId, elsewhere }: SessionRecord): Put[] {
  return sandboxId === "" || elsewhere ? [] : [[`${prefix}${sandboxId}`, true]];
}

/** Deletes noted sandboxes that no session of this device uses. They stay noted until the server answers. */
export async function deleteLeftovers(): Promise<void> {
  const leftovers = await kv.range(prefix);
  if (leftovers.length === 0) return;
  const sessions = await kv.range("session/");
  const used = new Set(sessions.map(([, value]) => sandboxOf(value)));
  for (const [key] of leftovers) {
    const id = key.slice(prefix.length);
    if (used.has(id) || (await isDeleted(id))) await kv.write([], [key]);
  }
}

/** Says what happens to a session's files when it is deleted; shown before the person confirms. */
export function filesOfDeleted({ git, elsewhere, preparing }: SessionRecord): string {
  if (elsewhere) return "It was exported or imported, so its files stay on the server.";
  if (git === undefined && config.value?.workspace?.kind !== "sample")
    return "The folder it works in stays as it is. When the session is deleted for good, its undo points are deleted too.";
  return preparing
    ? "When the session is deleted for good, its clone is deleted too."
    : "When the session is deleted for good, its own copy of the files is deleted too: push or download what you need.";
}

function sandboxOf(value: unknown): unknown {
  return isObject(value) ? value.sandboxId : undefined;
}

async function isDeleted(sandboxId: string): Promise<boolean> {
  try {
    await api.deleteSandbox(sandboxId);
    return true;
  } catch (error) {
    return error instanceof HandrailError && error.code === "not_found";
  }
}
