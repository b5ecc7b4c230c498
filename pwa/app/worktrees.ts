// Gives a session its own git worktree, as its record then shows. Throws what the server answered.
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
