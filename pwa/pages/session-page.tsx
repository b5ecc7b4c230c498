// One session: header, transcript, the current question, composer.
import "../styles/transcript.css";
import "../styles/cards.css";
import "../styles/stations.css";
import "../styles/markdown.css";
import "../styles/composer.css";
import "../styles/now.css";
import "../styles/now-low.css";
import "../styles/asked.css";
import "../styles/offers.css";
import { useEffect, useState } from "preact/hooks";
import { isPlanFirst } from "../../shared/plan/plan-first.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { openSession } from "../app/open-sessions.ts";
import { goBack, route } from "../browser/route.ts";
import { closeSheet, openSheet, sheet } from "../browser/sheet.ts";
import { cameByItself, isTyping } from "../browser/typing.ts";
import { ActionBar } from "../components/action-bar.tsx";
import { Composer } from "../components/composer.tsx";
import { StandsStill } from "../components/elapsed.tsx";
import { EmptySession } from "../components/empty-session.tsx";
import { Header } from "../components/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { NotLoadedPage } from "../components/not-loaded.tsx";
import { QueueChip } from "../components/queue-chip.tsx";
import { SessionHeader } from "../components/session-header.tsx";
import { SessionNotices } from "../components/session-notices.tsx";
import { askedForGoal, sayInstead } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { askedToSee } from "../session/worker-signals.ts";
import { AskedCard } from "../transcript/asked-card.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { isAway, isStill } from "../turn/connection.ts";

const SessionSheets = lazy(
  () => import("../sheets/session-sheets.tsx").then((module) => module.SessionSheets),
  "sheet",
);

const WorksTogether = lazy(() =>
  import("../components/works-together.tsx").then((module) => module.WorksTogether),
);

const Preparing = lazy(() => import("../components/preparing.tsx").then((module) => module.Preparing));

const WithoutFiles = lazy(() =>
  import("../components/files-choices.tsx").then((module) => module.WithoutFiles),
);

export function SessionPage({ id }: { id: string }) {
  const [held, setHeld] = useState<
    { session: OpenSession; takeOver(): void } | "failed" | null | undefined
  >();
  useEffect(() => {
    let left = false;
    setHeld(undefined);
    openSession(id).then(
      (found) => {
        if (!left)
          setHeld(
            found === undefined ? null : { session: found.session, takeOver: () => found.lock.takeOver() },
          );
      },
      () => {
        if (!left) setHeld("failed");
      },
    );
    return () => {
      left = true;
      // On a wider or narrower window the same page of the session is drawn in another way, with the same sheet.
      const to = route.peek();
      if (!("id" in to) || to.id !== id) closeSheet();
    };
  }, [id]);
  if (held === undefined) return <main class="page" />;
  if (held === "failed") return <NotLoadedPage words="This session could not be opened." />;
  if (held === null) {
    return (
      <main class="page">
        <Header title="No such session" onBack={() => goBack({ page: "sessions" })} />
        <p class="page-words muted">
          It is not kept on this device. It may have been deleted here, or begun on another one.
        </p>
      </main>
    );
  }
  return <SessionView session={held.session} takeOver={held.takeOver} />;
}

function SessionView({ session, takeOver }: { session: OpenSession; takeOver(): void }) {
  const empty = session.settled.value.entries.length === 0 && session.outbox.value.turn === null;
  const { preparing, sandboxId } = session.record.value;
  const connection = session.connection.value;
  const away = isAway(connection);
  // Also after a reload, until the turn is requested again: nothing has been received of it yet.
  const still = isStill(connection) || (connection.kind === "idle" && session.outbox.value.turn !== null);
  useQuestionsOpenThemselves(session);
  useOpensAsked(session);
  useOtherDevices(session);
  return (
    <main class={away ? "page session away" : "page session"}>
      <SessionHeader session={session} />
      <div class="notices">
        <SessionNotices session={session} onTakeOver={takeOver} />
        {!empty && sandboxId !== "" && <WorksTogether session={session} />}
      </div>
      <StandsStill.Provider value={still}>
        {!empty && <Transcript session={session} />}
        {empty && (preparing ? <Preparing session={session} /> : <EmptySession session={session} />)}
      </StandsStill.Provider>
      <footer class="bar">
        {sandboxId === "" ? (
          <WithoutFiles session={session} />
        ) : (
          <>
            <AskedCard session={session} />
            <ActionBar session={session} />
            <QueueChip session={session} />
            <Composer session={session} placeholder={placeholderOf(session)} />
          </>
        )}
      </footer>
      <SessionSheets session={session} />
    </main>
  );
}

/**
 * While the page is visible, receive what other devices do in this session; then note how far the person has seen it.
 */
function useOtherDevices(session: OpenSession): void {
  useEffect(() => {
    let over = new AbortController();
    const look = () => {
      over.abort();
      over = new AbortController();
      if (document.visibilityState === "visible") void session.watch(over.signal);
      else void session.lookedAway();
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      over.abort();
      void session.lookedAway();
      document.removeEventListener("visibilitychange", look);
    };
  }, [session]);
}

function placeholderOf(session: OpenSession): string {
  const id = session.record.value.id;
  if (session.outbox.value.turn !== null) return "Add to the queue…";
  if (askedForGoal.value === id) return "Say what to plan…";
  const waiting = waitingFor(session.settled.value);
  if (waiting.kind === "proposal") return "Ask for a change…";
  if (waiting.kind === "questions" && sayInstead.value !== id)
    return isPlanFirst(waiting.asked.questions) ? "Something else…" : "Or type it here…";
  return session.settled.value.head.saidCount === 0 ? "Say what to do…" : "Say what is next…";
}

/**
 * A question that arrives while the person looks at the session opens once without a tap, unless its answer is waiting
 * to be sent. While the person types or another sheet is open, it waits in the bar.
 */
function useQuestionsOpenThemselves(session: OpenSession): void {
  const waiting = waitingFor(session.settled.value);
  const asked =
    waiting.kind === "questions" &&
    !isPlanFirst(waiting.asked.questions) &&
    session.outbox.value.turn === null
      ? `${waiting.asked.toolCallId} ${waiting.asked.details?.length ?? 0}`
      : null;
  useEffect(() => {
    if (asked === null || !session.writes.value || sayInstead.value === session.record.value.id) return;
    if (sheet.value !== null || isTyping()) return;
    openSheet({ kind: "questions" });
    cameByItself.value = true;
  }, [asked, session.writes.value]);
}

/** After a tap on a notification, opens its question once the turn that asks has been received. */
function useOpensAsked(session: OpenSession): void {
  const wanted = askedToSee.value === session.record.value.id;
  const rests = session.outbox.value.turn === null;
  useEffect(() => {
    if (!wanted || !rests) return;
    askedToSee.value = null;
    const waiting = waitingFor(session.state.value);
    if (waiting.kind === "questions" && !isPlanFirst(waiting.asked.questions))
      openSheet({ kind: "questions" });
    else if (waiting.kind === "proposal") openSheet({ kind: "plan", plan: waiting.plan });
    else if (sheet.value !== null) closeSheet();
  }, [wanted, rests]);
}
