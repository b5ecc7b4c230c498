// One session: header, transcript, what is asked now, composer.
import "../styles/transcript.css";
import "../styles/cards.css";
import "../styles/stations.css";
import "../styles/markdown.css";
import "../styles/composer.css";
import { useEffect, useState } from "preact/hooks";
import { activeStep } from "../../shared/session/session-summary.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { ActionBar } from "../components/action-bar.tsx";
import { Composer } from "../components/composer.tsx";
import { ContextRing } from "../components/context-ring.tsx";
import { EmptySession } from "../components/empty-session.tsx";
import { Header } from "../components/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { SessionNotices } from "../components/session-notices.tsx";
import { openSession } from "../state/app.ts";
import { askedForGoal, sayInstead } from "../state/intents.ts";
import { isWide } from "../state/keyboard.ts";
import type { OpenSession } from "../state/open-session.ts";
import { goBack } from "../state/route.ts";
import { closeSheet, openSheet } from "../state/sheet.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { connectionInWords } from "../turn/connection.ts";

const SessionSheets = lazy(() =>
  import("../sheets/session-sheets.tsx").then((module) => module.SessionSheets),
);

export function SessionPage({ id }: { id: string }) {
  const [held, setHeld] = useState<{ session: OpenSession; takeOver(): void } | null | undefined>(undefined);
  useEffect(() => {
    let left = false;
    setHeld(undefined);
    void openSession(id).then((found) => {
      if (!left)
        setHeld(
          found === undefined ? null : { session: found.session, takeOver: () => found.lock.takeOver() },
        );
    });
    return () => {
      left = true;
      closeSheet();
    };
  }, [id]);
  if (held === undefined) return <main class="page" />;
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
  const empty = session.state.value.entries.length === 0 && session.outbox.value.turn === null;
  useQuestionsOpenThemselves(session);
  return (
    <main class="page session">
      <SessionHeader session={session} />
      <SessionNotices session={session} onTakeOver={takeOver} />
      {empty ? <EmptySession session={session} /> : <Transcript session={session} />}
      <footer class="bar">
        <ActionBar session={session} />
        <Composer session={session} placeholder={placeholderOf(session)} />
      </footer>
      <SessionSheets session={session} />
    </main>
  );
}

function placeholderOf(session: OpenSession): string {
  const id = session.record.value.id;
  if (askedForGoal.value === id) return "What should be planned?";
  if (session.outbox.value.turn !== null) return "Add to the queue…";
  const waiting = waitingFor(session.state.value);
  if (waiting.kind === "proposal") return "Ask for a change…";
  if (waiting.kind === "questions" && sayInstead.value !== id) return "Or type your answer…";
  return session.state.value.head.saidCount === 0 ? "What should be done?" : "Say what is next…";
}

/** A question that arrives while a person looks comes up by itself, once. */
function useQuestionsOpenThemselves(session: OpenSession): void {
  const waiting = waitingFor(session.state.value);
  const asked =
    waiting.kind === "questions" ? `${waiting.asked.toolCallId} ${waiting.asked.details?.length ?? 0}` : null;
  useEffect(() => {
    if (asked !== null && session.writes.value && sayInstead.value !== session.record.value.id)
      openSheet({ kind: "questions" });
  }, [asked, session.writes.value]);
}

function SessionHeader({ session }: { session: OpenSession }) {
  const { workspace, demo, title } = session.record.value;
  const state = session.state.value;
  const words = connectionInWords(session.connection.value);
  const caughtUp = session.connection.value.kind === "caught-up";
  const context = contextOf(session);
  return (
    <Header
      title={title}
      subtitle={
        <>
          {demo ? <b>Scripted demo</b> : !caughtUp && workspace}
          {words === "" ? demo && ` · ${workspace}` : (demo || !caughtUp) && " · "}
          <span role="status">{words}</span>
        </>
      }
      onBack={isWide.value ? undefined : () => goBack({ page: "sessions" })}
      onTitle={() => openSheet({ kind: "menu" })}
    >
      <Badge
        mode={state.head.mode}
        step={activeStep(state.head.plan)}
        steps={state.head.plan?.steps.length ?? 0}
      />
      {context !== undefined && <ContextRing {...context} />}
    </Header>
  );
}

function Badge({ mode, step, steps }: { mode: string; step: number; steps: number }) {
  if (mode === "plan") return <span class="badge plan">PLAN</span>;
  if (step > 0) {
    return (
      <span class="badge go" role="img" aria-label={`Step ${step} of ${steps}`}>
        {step} / {steps}
      </span>
    );
  }
  return mode === "auto" ? <span class="badge auto">AUTO</span> : null;
}

/** The newest figures of the context: live ones, else those of the last result. */
function contextOf(session: OpenSession): { tokens: number; budget: number } | undefined {
  const { live, entries } = session.state.value;
  if (live.context !== null) return live.context;
  const entry = entries.findLast(
    (candidate) =>
      candidate.event === "message" &&
      candidate.data.message.role === "tool" &&
      candidate.data.message.meta !== undefined,
  );
  if (entry?.event !== "message" || entry.data.message.role !== "tool") return undefined;
  const meta = entry.data.message.meta;
  return meta === undefined ? undefined : { tokens: meta.contextTokens, budget: meta.budgetTokens };
}
