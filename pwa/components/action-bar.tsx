// The current question to the person, within reach of a thumb: at most one filled button, and quieter, safe
// alternatives.

import { useEffect } from "preact/hooks";
import type { Config } from "../../shared/api.ts";
import { isPlanFirst } from "../../shared/plan/plan-first.ts";
import { hasMessagesOf, isNotKept } from "../../shared/session/not-kept.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { isRunning, type Waiting, waitingFor } from "../../shared/session/waiting.ts";
import { api, config, knowsCaptions } from "../app/app-state.ts";
import { wakeNow } from "../browser/page-signals.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import { askedNow } from "../session/decisions.ts";
import { startApproved } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { planComments } from "../session/plan-comments.ts";
import { isAway, isStill, runningInWords } from "../turn/connection.ts";
import { ApproveSplit } from "./approve-split.tsx";
import { focusComposer } from "./composer.tsx";
import { useJustCame } from "./just-came.ts";
import { lazy } from "./lazy.tsx";
import { OpenPlanBar } from "./open-plan-bar.tsx";
import { PermissionBar } from "./permission-bar.tsx";

const NotifyOffer = lazy(() => import("./notify-offer.tsx").then((module) => module.NotifyOffer), "nothing");
const FreshOffer = lazy(() => import("./fresh-offer.tsx").then((module) => module.FreshOffer), "nothing");
const PlanFirst = lazy(() => import("./plan-first.tsx").then((module) => module.PlanFirst));
const OpinionOffer = lazy(
  () => import("./opinion-offer.tsx").then((module) => module.OpinionOffer),
  "nothing",
);
const SpendLimitBar = lazy(() => import("./spend-limit-bar.tsx").then((module) => module.SpendLimitBar));

export function ActionBar({ session }: { session: OpenSession }) {
  const waiting = waitingFor(session.settled.value);
  const runs = session.outbox.value.turn !== null;
  // A permission can be decided before the turn reaches its call.
  const next = askedNow(session)?.next;
  const asks = next === undefined ? undefined : `permission ${next.toolCallId}`;
  const what = !session.writes.value ? "nothing" : (asks ?? (runs ? "running" : askedIn(waiting)));
  const arriving = useJustCame(what);
  // The tapped button disappears, so the composer gets the keyboard focus.
  const hadFocus = arriving && document.activeElement?.closest(".ask-bar") != null;
  useEffect(() => {
    if (hadFocus && hasKeyboard.value) focusComposer.value += 1;
  }, [what]);
  if (!session.writes.value) return null;
  // The key prevents Preact from reusing a button for another action while a finger is on it.
  return (
    <div key={what} class="ask-bar" inert={arriving}>
      {next !== undefined ? (
        <PermissionBar session={session} permission={next} />
      ) : runs ? (
        <RunningBar session={session} />
      ) : (
        <Asked session={session} waiting={waiting} />
      )}
    </div>
  );
}

/** A key that identifies the question. */
function askedIn(waiting: Waiting): string {
  if (waiting.kind === "questions") return `questions ${waiting.asked.toolCallId}`;
  if (waiting.kind === "proposal") return `proposal ${waiting.planHash}`;
  return waiting.kind;
}

function Asked({ session, waiting }: { session: OpenSession; waiting: Waiting }) {
  switch (waiting.kind) {
    case "nothing":
      return isRunning(session.settled.value) ? (
        <TryAgain session={session} words="This turn was interrupted." />
      ) : null;
    case "questions":
      return isPlanFirst(waiting.asked.questions) ? (
        <PlanFirst session={session} asked={waiting.asked} />
      ) : (
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
          <ApproveSplit session={session} comments={planComments(session, waiting.plan).length > 0} />
          <FreshOffer session={session} plan={waiting.plan} />
          <OpinionOffer session={session} plan={waiting.plan} />
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
    // All permissions have been decided; the decisions are being sent.
    case "permission":
      return null;
    case "failure":
      if (isNotKept(waiting.error)) {
        const { turn } = session.settled.value.head;
        const heard = turn !== null && hasMessagesOf(turn.id, session.settled.value.entries);
        // If the server did not hear the message, it is back in the composer and needs no button.
        return heard ? (
          <TryAgain session={session} words="The rest of the answer is lost." label="Go on" />
        ) : null;
      }
      if (waiting.error.details?.reason === "spend_limit")
        return <SpendLimitBar session={session} error={waiting.error} />;
      if (waiting.error.details?.reason === "unattended_limit")
        return <TryAgain session={session} words="It stopped while nobody watched." label="Go on" />;
      return <TryAgain session={session} words="The turn failed. What was done is kept." />;
    case "continue":
      return <TryAgain session={session} words="It paused after a long run." label="Go on" />;
    case "open":
      return <OpenPlanBar session={session} plan={waiting.plan} />;
  }
}

function RunningBar({ session }: { session: OpenSession }) {
  const connection = session.connection.value;
  const provider = session.outbox.value.turn?.model?.provider;
  const ownKey = Object.keys(api.keyHeaders(provider)).length > 0;
  const unattended = config.value === null ? undefined : continuesAlone(config.value, ownKey);
  const words = runningInWords(connection, {
    unattended,
    ownKey,
    begun: session.begun.value,
    atDesk: hasKeyboard.value,
  });
  const decides = connection.kind === "differs";
  const retries = isAway(connection) && connection.kind !== "unpaired";
  // Once a person has seen the caption "you can lock the phone" a few times, it is left out; other captions stay.
  const known = knowsCaptions.value && unattended === true && !isAway(connection) && !isStill(connection);
  // Notifications are offered next to the caption that the phone may be locked.
  const offers =
    unattended === true &&
    (connection.kind === "live" || connection.kind === "caught-up") &&
    config.value?.push;
  if (offers) return <NotifyOffer words={known ? "" : words} />;
  if (!decides && !retries && (words === "" || known)) return null;
  return (
    <div class="actions">
      <p class="bar-words">{words}</p>
      {decides && (
        <button type="button" class="button plan" onClick={() => openSheet({ kind: "histories" })}>
          Decide
        </button>
      )}
      {retries && (
        <button type="button" class="button quiet" onClick={wakeNow}>
          Retry
        </button>
      )}
    </div>
  );
}

/**
 * Whether the turn continues without this phone. The process that runs it has the person's own model key; a process
 * that takes over later does not.
 */
function continuesAlone({ continuesUnattended, unattended }: Config, ownKey: boolean): boolean {
  return continuesUnattended === true || (unattended === true && !ownKey);
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
