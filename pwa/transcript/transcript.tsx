// The transcript on the rail: follows what is new unless a person reads further up; never moves what is being read.
import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { changesInWords } from "../../shared/session/session-summary.ts";
import { Icon } from "../components/icon.tsx";
import type { OpenSession } from "../state/open-session.ts";
import { go } from "../state/route.ts";
import { LiveTail } from "./live-tail.tsx";
import { RowView, UserBubble } from "./row-view.tsx";
import { transcriptRows } from "./transcript-rows.ts";

/** This close to the end counts as being at the end, in pixels. */
const nearEndPx = 60;

export function Transcript({ session }: { session: OpenSession }) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const away = useSignal(false);
  const entries = useComputed(() => session.state.value.entries);
  const plan = useComputed(() => session.state.value.head.plan);
  const rows = useComputed(() => transcriptRows(entries.value, plan.value));
  const hasEarlier = useComputed(
    () => session.state.value.head.entryCount > session.state.value.entries.length,
  );
  const turn = session.outbox.value.turn;
  const started = turn !== null && session.state.value.head.turn?.id === turn.turnId;
  const heard =
    started &&
    entries.value.some(
      (entry) =>
        entry.turnId === turn.turnId && entry.event === "message" && entry.data.message.role === "user",
    );

  useLayoutEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null) return undefined;
    const follow = () => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(element);
    follow();
    return () => observer.disconnect();
  }, []);

  const toEnd = () => {
    follows.current = true;
    away.value = false;
    box.current?.scrollTo({ top: box.current.scrollHeight, behavior: "smooth" });
  };
  const showEarlier = async () => {
    const element = box.current;
    const before = element === null ? 0 : element.scrollHeight - element.scrollTop;
    follows.current = false;
    await session.showEarlier();
    requestAnimationFrame(() => {
      if (element !== null) element.scrollTop = element.scrollHeight - before;
    });
  };

  return (
    <div class="transcript-frame">
      <div
        ref={box}
        class="transcript"
        tabIndex={-1}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          // Only a move upwards is a person's: what is new may have grown since our own scrolling.
          if (scrollHeight - scrollTop - clientHeight < nearEndPx) follows.current = true;
          else if (scrollTop < lastTop.current) follows.current = false;
          lastTop.current = scrollTop;
          away.value = !follows.current;
        }}
      >
        <div ref={content} class="rows" role="log" aria-label="Transcript" aria-live="off">
          {hasEarlier.value && (
            <button type="button" class="text-button" onClick={() => void showEarlier()}>
              Show what was said before
            </button>
          )}
          {rows.value.map((row) => (
            <RowView key={row.key} row={row} session={session} />
          ))}
          {turn !== null && !heard && turn.input.type === "message" && (
            <UserBubble text={turn.input.text} {...(started ? {} : { pending: "Sending…" })} />
          )}
          <LiveTail session={session} />
          {turn === null && <ChangedFiles session={session} />}
          <Queue session={session} />
        </div>
      </div>
      {away.value && (
        <button type="button" class="to-end" aria-label="To the newest" onClick={toEnd}>
          <Icon name="down" size={20} />
        </button>
      )}
    </div>
  );
}

/** At the end of work: what it changed, one tap away. */
function ChangedFiles({ session }: { session: OpenSession }) {
  const changed = changesInWords(session.state.value.head.changes);
  if (changed === undefined) return null;
  return (
    <div class="row stop">
      <button
        type="button"
        class="stop-line"
        onClick={() => go({ page: "changes", id: session.record.value.id })}
      >
        <span>
          <b>Changed</b> {changed}
        </span>
        <span class="time">
          <span class="chevron" aria-hidden="true" />
        </span>
      </button>
    </div>
  );
}

function Queue({ session }: { session: OpenSession }) {
  return (
    <>
      {session.outbox.value.queue.map((message) => (
        <div class="row user queued" key={message.id}>
          <div class="bubble">{message.text}</div>
          <p class="pending">
            Queued
            <button
              type="button"
              class="text-button"
              onClick={() => {
                session.unqueue(message.id);
                session.setDraft({
                  text: [message.text, session.draft.value.text].filter(Boolean).join("\n"),
                });
              }}
            >
              Edit
            </button>
            {session.outbox.value.turn === null && (
              <button
                type="button"
                class="text-button"
                onClick={() => {
                  if (session.send({ type: "message", text: message.text })) session.unqueue(message.id);
                }}
              >
                Send now
              </button>
            )}
          </p>
        </div>
      ))}
    </>
  );
}
