// A session's own git worktree: given, as its record shows it. Throws what the server answered.
import type { OpenSession } from "../session/open-session.ts";
import { api } from "./app-state.ts";
import { whereaboutsOf } from "./create-session.ts";

/** Moves the session's files, with what it has changed and nobody committed, into a worktree. */
export async function giveWorktree(session: OpenSession): Promise<void> {
  const { sandboxId, title } = session.record.value;
  const place = whereaboutsOf(await api.giveWorktree(sandboxId, title));
  await session.choose(place);
  void session.measureChanges();
}
