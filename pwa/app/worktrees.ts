// Gives a session its own git worktree and notes it in the session's record. Throws the server's error.
import type { OpenSession } from "../session/open-session.ts";
import { api } from "./app-state.ts";
import { whereaboutsOf } from "./create-session.ts";

/** Moves the session's files into a worktree, with its uncommitted changes. */
export async function giveWorktree(session: OpenSession): Promise<void> {
  const { sandboxId, title } = session.record.value;
  const place = whereaboutsOf(await api.giveWorktree(sandboxId, title));
  await session.choose(place);
  void session.measureChanges();
}
