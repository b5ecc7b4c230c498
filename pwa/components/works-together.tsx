// Shows other work in progress: background commands of this session, and another session's turn in the same folder,
// with an offer to move this session to its own worktree.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import { hasWorktrees } from "../app/create-session.ts";
import { giveWorktree } from "../app/worktrees.ts";
import type { OpenSession } from "../session/open-session.ts";
import { BackgroundCommands, lastNews } from "./background-commands.tsx";
import { othersAtWork, useSandboxNow } from "./others-at-work.ts";

/** Infrequent, because the server measures disk usage for each answer. */
const everyMs = 15_000;
const atRestEveryMs = 60_000;

export function WorksTogether({ session }: { session: OpenSession }) {
  const { sandboxId, worktree, git } = session.record.value;
  const runs = session.outbox.value.turn !== null;
  const told = useSandboxNow(sandboxId, runs ? everyMs : atRestEveryMs, lastNews(session)).value;
  const names = othersAtWork(told) ?? [];
  /** True if the person asked for a worktree during a turn; it is created when the turn has ended. */
  const wanted = useSignal(false);
  const problem = useSignal<string | null>(null);
  const give = async () => {
    wanted.value = true;
    problem.value = null;
    if (runs) return;
    try {
      await giveWorktree(session);
    } catch (error) {
      problem.value = inWords(error).message;
    }
    wanted.value = false;
  };
  useEffect(() => {
    if (!runs && wanted.value) void give();
  }, [runs]);
  const beside = <BackgroundCommands session={session} commands={told?.background ?? []} />;
  if (names.length === 0 && !wanted.value && problem.value === null) return beside;
  return (
    <>
      {beside}
      <p class="notice stacked beside" role="status">
        {names.length > 0 && (
          <span>
            {plural(names.length + 1, "session")} work here: this one and {names.join(", ")}. Their commands
            take turns; each keeps its own changes apart.
          </span>
        )}
        {problem.value !== null && <span class="problem">{problem.value}</span>}
        {worktree === undefined && git === undefined && hasWorktrees() && session.writes.value && (
          <span class="notice-actions">
            <button type="button" class="text-button" disabled={wanted.value} onClick={() => void give()}>
              {!wanted.value
                ? "Move this one to a worktree"
                : runs
                  ? "It gets a worktree when its turn has ended"
                  : "Making a worktree…"}
            </button>
          </span>
        )}
      </p>
    </>
  );
}
