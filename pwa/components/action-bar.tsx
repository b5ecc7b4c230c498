// What is asked of the person now, in thumb reach: at most one filled button, the safe alternatives quiet beside it.
import { hasMessagesOf, isNotKept } from "../../shared/session/not-kept.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { isRunning, waitingFor } from "../../shared/session/waiting.ts";
import { config } from "../app/app-state.ts";
import { wakeNow } from "../browser/page-signals.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import { pressStop, startApproved } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { isAway, runningInWords } from "../turn/connection.ts";
import { ApproveSplit } from "./approve-split.tsx";
import { OpenPlanBar } from "./open-plan-bar.tsx";
import { PermissionBar } from "./permission-bar.tsx";

export function ActionBar({ session }: { session: OpenSession }) {
  if (!session.writes.value) return null;
  if (session.outbox.value.turn !== null) return <RunningBar session={session} />;
  const waiting = waitingFor(session.settled.value);
  switch (waiting.kind) {
    case "nothing":
      return isRunning(session.settled.value) ? (
        <TryAgain session={session} words="This turn did not end." />
      ) : null;
    case "questions":
      return (
        <div class="actions">
          <button type="button" class="button plan wide" onClick={() => openSheet({ kind: "questions" })}>
            Answer {plural(waiting.asked.questions.length, "question")}
          </button>
        </div>
      );
    case "proposal":
      return (
        <div class="actions">
          <button type="button" class="button quiet" onClick={() => openSheet({ kind: "reject" })}>
            Reject
          </button>
          <button
            type="button"
            class="button soft"
            onClick={() => openSheet({ kind: "edit-plan", plan: waiting.plan })}
          >
            Edit
          </button>
          <ApproveSplit session={session} />
        </div>
      );
    case "approved":
      return (
        <div class="actions">
          <p class="bar-words">Approved, not started.</p>
          <button type="button" class="button go" onClick={() => startApproved(session)}>
            Start
          </button>
        </div>
      );
    case "permission":
      return <PermissionBar session={session} permission={waiting.permission} />;
    case "failure":
      if (isNotKept(waiting.error)) {
        const { turn } = session.settled.value.head;
        const heard = turn !== null && hasMessagesOf(turn.id, session.settled.value.entries);
        // What was said is in the composer again.
        return heard ? (
          <TryAgain session={session} words="The rest of the answer is gone." label="Go on" />
        ) : null;
      }
      return <TryAgain session={session} words="It broke off. Nothing that was done is lost." />;
    case "continue":
      return <TryAgain session={session} words="It paused after a long run." label="Go on" />;
    case "open":
      return <OpenPlanBar session={session} plan={waiting.plan} />;
  }
}

function RunningBar({ session }: { session: OpenSession }) {
  const connection = session.connection.value;
  const unattended = config.value === null ? undefined : config.value.continuesUnattended === true;
  const words = runningInWords(connection, {
    unattended,
    begun: session.begun.value,
    atDesk: hasKeyboard.value,
  });
  return (
    <div class="actions">
      {connection.kind !== "differs" && (
        <button type="button" class="button soft" onClick={() => pressStop(session)}>
          Stop
        </button>
      )}
      <p class="bar-words">{words}</p>
      {connection.kind === "differs" && (
        <button type="button" class="button go" onClick={() => openSheet({ kind: "histories" })}>
          Decide
        </button>
      )}
      {isAway(connection) && connection.kind !== "unpaired" && (
        <button type="button" class="button quiet" onClick={wakeNow}>
          Retry
        </button>
      )}
    </div>
  );
}

function TryAgain({
  session,
  words,
  label = "Retry",
}: {
  session: OpenSession;
  words: string;
  label?: string;
}) {
  return (
    <div class="actions">
      <p class="bar-words">{words}</p>
      <button type="button" class="button go" onClick={() => session.send({ type: "continue" })}>
        {label}
      </button>
    </div>
  );
}
