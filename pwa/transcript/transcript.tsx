// The transcript on the rail. It follows new rows unless the person reads further up, and never moves the text that is
// being read.
import { useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Attachment } from "../../shared/message.ts";
import { changesSinceInWords } from "../../shared/session/session-summary.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import { go } from "../browser/route.ts";
import { isTyping } from "../browser/typing.ts";
import { Icon } from "../components/icon.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { answerInWords } from "../session/answers.ts";
import { counting } from "../session/count-changes.ts";
import type { OpenSession } from "../session/open-session.ts";
import { foundRow, scrollTarget } from "../session/scroll-target.ts";
import { awayInWords, connectionInWords, isAway, isStill } from "../turn/connection.ts";
import { NowCard } from "./now-card.tsx";
import { RanUnasked } from "./ran-unasked.tsx";
import { Chose, RowView, UserBubble } from "./row-view.tsx";
import type { Row } from "./rows.ts";
import { transcriptRows } from "./transcript-rows.ts";
import { runFinished, runMayHaveChanged } from "./turn-changes.ts";
import { useReading } from "./use-reading.ts";
import { useScrollTarget } from "./use-scroll-target.ts";

export function Transcript({ session }: { session: OpenSession }) {
  const entries = useComputed(() => session.settled.value.entries);
  const plan = useComputed(() => session.settled.value.head.plan);
  const cuts = useComputed(() => session.settled.value.head.cuts);
  const undone = useComputed(() => session.record.value.undoLines);
  const all = useComputed(() => transcriptRows(entries.value, plan.value, cuts.value, undone.value));
  const rows = useComputed(() => all.value.filter(happened));
  const hasEarlier = useComputed(
    () => session.settled.value.head.entryCount > session.settled.value.entries.length,
  );
  const earlier = hasEarlier.value ? () => session.showEarlier() : undefined;
  const reading = useReading(session.record.value.id, rows.value, earlier);
  useScrollTarget(session.record.value.id, rows, reading, earlier);
  usePlanArrival(session, reading.box);
  const { box, content, away, toEnd, start, end } = reading;
  const whole = end === rows.value.length;
  return (
    <div class="transcript-frame">
      <div class="transcript-reading">
        <div ref={box} class="transcript" tabIndex={-1}>
          <div ref={content} class="rows" role="log" aria-label="Transcript" aria-live="off">
            {(hasEarlier.value || start > 0) && (
              <p class="quiet earlier">Earlier messages load as you scroll.</p>
            )}
            {rows.value.slice(start, end).map((row) => (
              <RowView key={row.key} row={row} session={session} />
            ))}
            {whole && <UnderWay session={session} toCome={all.value.filter((row) => !happened(row))} />}
          </div>
        </div>
        {away.value && (
          <button type="button" class="to-end" aria-label="To the newest" onClick={toEnd}>
            <Icon name="down" size={20} />
          </button>
        )}
      </div>
      <NowCard session={session} rows={rows} />
    </div>
  );
}

/** Drawn below all messages: a message being sent, what the agent is writing and doing, and the future steps. */
function UnderWay({ session, toCome }: { session: OpenSession; toCome: readonly Row[] }) {
  const { turn } = session.outbox.value;
  const entries = useComputed(() => session.settled.value.entries);
  // A finished plan has already listed its changes.
  const finished = useComputed(() => runFinished(entries.value)).value;
  const started = turn !== null && session.begun.value;
  const heard =
    started &&
    entries.value.some(
      (entry) =>
        entry.turnId === turn.turnId && entry.event === "message" && entry.data.message.role === "user",
    );
  const said = turn === null ? undefined : saidWith(turn.input);
  return (
    <>
      {turn !== null && !heard && said !== undefined && (
        <UserBubble
          {...said}
          {...(started ? {} : { pending: isAway(session.connection.value) ? "Not sent yet" : "Sending…" })}
        />
      )}
      <Answered session={session} />
      <LiveTail session={session} />
      <ToCome rows={toCome} session={session} />
      {turn === null && <RanUnasked session={session} />}
      {turn === null && !finished && <ChangedFiles session={session} />}
    </>
  );
}

/** More future steps than this are one line, so that what was said last stays on the screen. */
const maxToCome = 3;

function ToCome({ rows, session }: { rows: readonly Row[]; session: OpenSession }) {
  const all = rows.map((row) => <RowView key={row.key} row={row} session={session} />);
  if (rows.length <= maxToCome) return <>{all}</>;
  return (
    <details>
      <summary class="row stop to-come">
        {rows.length} steps to come <span class="chevron" aria-hidden="true" />
      </summary>
      {all}
    </details>
  );
}

/** The person's message while it is being sent. */
function saidWith(input: TurnInput): { text: string; attachments: readonly Attachment[] } | undefined {
  if (input.type === "reject" && input.feedback) return { text: input.feedback, attachments: [] };
  return input.type === "message" ? { text: input.text, attachments: input.attachments ?? [] } : undefined;
}

/** Answers that are being sent appear in their place at once. */
function Answered({ session }: { session: OpenSession }) {
  const { turn } = session.outbox.value;
  const { asked } = session.settled.value.head;
  if (turn?.input.type !== "answers" || asked?.toolCallId !== turn.input.toolCallId) return null;
  const { answers } = turn.input;
  const decisions = asked.questions.map((question) => {
    const raw = answers.find(({ id }) => id === question.id)?.raw ?? "";
    const { id, label, prompt } = question;
    return { id, label, prompt, answer: answerInWords(question, raw) };
  });
  return <Chose row={{ key: "answered", decisions, updates: [] }} />;
}

/** Future steps are shown after the running turn. */
function happened(row: Row): boolean {
  return row.kind !== "station" || row.status !== "pending";
}

/**
 * A link to the changes after work that may have changed files, with the same number as in header, list and Changes.
 */
function ChangedFiles({ session }: { session: OpenSession }) {
  const { entries, head } = session.settled.value;
  const counts = counting.value.has(session.record.value.sandboxId);
  const changed = changesSinceInWords(head);
  if (changed === undefined || !runMayHaveChanged(entries)) return null;
  return (
    <div class="row stop">
      <button
        type="button"
        class="stop-line"
        onClick={() => go({ page: "changes", id: session.record.value.id })}
      >
        <span>
          {(counts || head.committed === null) && <b>Changes </b>}
          {counts ? "counting…" : changed}
        </span>
        <span class="time">
          <span class="chevron" aria-hidden="true" />
        </span>
      </button>
    </div>
  );
}

function LiveTail({ session }: { session: OpenSession }) {
  const partial = useComputed(() => session.state.value.live.partial);
  if (session.outbox.value.turn === null) return null;
  const connection = session.connection.value;
  if (isStill(connection)) {
    const went = awayInWords(connection, session.begun.value);
    return (
      <div class="row stop">
        <p class="stop-line muted">{isAway(connection) ? went : connectionInWords(connection)}</p>
      </div>
    );
  }
  const text = partial.value?.text ?? "";
  if (text === "") return null;
  return (
    <div class="row said live">
      <Markdown text={text} />
    </div>
  );
}

function usePlanArrival(session: OpenSession, box: RefObject<HTMLElement | null>): void {
  const waiting = waitingFor(session.settled.value);
  const key = waiting.kind === "proposal" ? waiting.planHash : null;
  useEffect(() => {
    const card = key === null ? null : box.current?.querySelector(".card.plan");
    // A person who came from a search is reading the match: do not scroll away from it.
    if (!card || !box.current || isTyping() || foundRow.peek() !== null) return;
    if (card.getBoundingClientRect().top < box.current.getBoundingClientRect().top)
      scrollTarget.value = { to: "plan" };
  }, [key]);
}
