// One row of the transcript on the rail.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Attachment } from "../../shared/message.ts";
import { approvalText } from "../../shared/session/approval-text.ts";
import { isNotKept } from "../../shared/session/not-kept.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { CodeBox, Copy } from "../components/code-box.tsx";
import { focusComposer } from "../components/composer.tsx";
import { durationInWords } from "../components/elapsed.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { lazy } from "../components/lazy.tsx";
import { SaidText } from "../components/said-text.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { Markdown, Words } from "../markdown/markdown.tsx";
import { beginAgain } from "../session/edit-again.ts";
import { takePlan } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { withoutStepIds } from "../words/plain-words.ts";
import { CallCard } from "./call-card.tsx";
import { hasNow } from "./call-phase.ts";
import { lookedAt, lookedInWords, lookedMs, plainResult } from "./call-words.ts";
import { FinishCard } from "./finish-card.tsx";
import { foundClass } from "./found-row.ts";
import { PlanCard } from "./plan-card.tsx";
import type { Row, RowOf } from "./rows.ts";
import { Station } from "./station.tsx";

const HooksCard = lazy(() => import("./hooks-card.tsx").then((module) => module.HooksCard));

export function RowView({ row, session }: { row: Row; session: OpenSession }) {
  switch (row.kind) {
    case "user":
      return <Said row={row} session={session} />;
    case "text":
      return (
        <div class={`row said${foundClass(row)}`}>
          {row.reasoning !== undefined && row.reasoning !== "" && <Reasoning text={row.reasoning} />}
          <Markdown text={row.text} />
          {row.cut !== undefined && <p class="quiet">{row.cut}</p>}
          <TakeAsPlan session={session} text={row.text} />
          {row.ends && row.text.trim() !== "" && <Copy text={row.text} />}
        </div>
      );
    case "looked":
      return <Looked row={row} session={session} />;
    case "call":
      return <CallCard view={row.view} session={session} />;
    case "chose":
      return <Chose row={row} />;
    case "plan":
      return <PlanCard row={row} session={session} />;
    case "finish":
      return <FinishCard text={row.text} session={session} />;
    case "note":
      return row.hooks === undefined ? <Note row={row} /> : <HooksCard session={session} hash={row.hooks} />;
    case "failure":
      return (
        <div class="row stop bad">
          <p class="stop-line">
            <span>
              <b>{isNotKept(row.error) ? "Not kept" : "Failed"}</b> {row.error.message}
            </span>
          </p>
        </div>
      );
    case "station":
      return (
        <Station row={row} session={session}>
          {(child) => <RowView key={child.key} row={child} session={session} />}
        </Station>
      );
  }
}

/** The person's message; a tap shows its actions. */
function Said({ row, session }: { row: RowOf<"user">; session: OpenSession }) {
  const { message } = row;
  const open = useSignal(false);
  return (
    <UserBubble
      text={message.content}
      attachments={message.attachments ?? []}
      mark={foundClass(row)}
      onTap={() => (open.value = !open.value)}
      pending={
        open.value && (
          <>
            <Copy text={message.content} />
            {session.writes.value && (
              <button
                type="button"
                class="text-button"
                onClick={() => {
                  open.value = false;
                  beginAgain(session, message);
                  focusComposer.value += 1;
                }}
              >
                Edit and send again
              </button>
            )}
          </>
        )
      }
    />
  );
}

interface UserBubbleProps {
  text: string;
  attachments?: readonly Attachment[];
  /** Drawn below the message. */
  pending?: ComponentChildren;
  mark?: string;
  onTap?(): void;
}

export function UserBubble({ text, attachments = [], pending = false, mark = "", onTap }: UserBubbleProps) {
  if (text === approvalText) {
    return (
      <div class="row stop">
        <p class="stop-line">
          <b>You approved the plan</b>
        </p>
      </div>
    );
  }
  return (
    <div class={`row user${mark}`}>
      <div class="bubble">
        <SaidText text={withoutStepIds(text)} />
        {onTap !== undefined && (
          <button type="button" class="cover" aria-label="More about this message" onClick={onTap} />
        )}
      </div>
      <Attachments attachments={attachments} />
      {pending !== false && <p class="below">{pending}</p>}
    </div>
  );
}

export function Reasoning({ text }: { text: string }) {
  return (
    <details class="reasoning">
      <summary>Thought about it</summary>
      <p>{text}</p>
    </details>
  );
}

function Looked({ row, session }: { row: RowOf<"looked">; session: OpenSession }) {
  const open = useSignal(false);
  // The card of the running turn shows unfinished work.
  const calls = hasNow(session) ? row.calls.filter(({ result }) => result !== undefined) : row.calls;
  if (calls.length === 0) return null;
  const ms = lookedMs(calls);
  return (
    <div class="row stop">
      <button
        type="button"
        class="stop-line"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      >
        <span>
          <b>
            <InlineCode text={lookedInWords(calls)} />
          </b>
        </span>
        <span class="time">
          {ms >= 1000 && durationInWords(ms)}
          <span class="chevron" aria-hidden="true" />
        </span>
      </button>
      {open.value && (
        <ul class="looked-at">
          {calls.map(({ call, result }) => (
            <li key={call.id}>
              <details>
                <summary>
                  <code>{oneLineOf(lookedAt(call))}</code>
                </summary>
                <CodeBox>{result === undefined ? "…" : plainResult(result.content)}</CodeBox>
              </details>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function Chose({ row }: { row: Omit<RowOf<"chose">, "kind"> }) {
  return (
    <div class={`row stop${foundClass(row)}`}>
      {row.decisions.map((decision) => (
        <div class="stop-line" key={decision.id}>
          <span>
            <b>You chose</b>{" "}
            <span class="muted">
              <Words text={decision.prompt ?? `${decision.label}:`} />
            </span>{" "}
            <InlineCode text={decision.answer} />
          </span>
        </div>
      ))}
      {row.updates.length > 0 && (
        <ul class="updates">
          {row.updates.map((update) => (
            <li key={update}>
              <InlineCode text={update} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Note({ row }: { row: RowOf<"note"> }) {
  if (row.detail === undefined) {
    return (
      <div class={`row stop note ${row.tone}`}>
        <p class="stop-line">
          <span>
            <InlineCode text={row.text} />
          </span>
        </p>
      </div>
    );
  }
  return (
    <div class={`row stop note ${row.tone}`}>
      <details>
        <summary class="stop-line">
          <span>
            <InlineCode text={row.text} />
          </span>
        </summary>
        <CodeBox>{row.detail}</CodeBox>
      </details>
    </div>
  );
}

function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attached">
      {attachments.map(({ kind, name, mediaType, data }, index) => (
        <li key={index}>
          {kind === "image" ? (
            <img src={`data:${mediaType};base64,${data}`} alt={name} loading="lazy" />
          ) : (
            <details>
              <summary class="chip">{oneLineOf(name)}</summary>
              <CodeBox>{data}</CodeBox>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function TakeAsPlan({ session, text }: { session: OpenSession; text: string }) {
  const state = session.settled.value;
  const free = waitingFor(state).kind === "nothing" && session.outbox.value.turn === null;
  // A single line is an answer or a question, not a plan.
  if (state.head.mode !== "plan" || !free || !session.writes.value || !text.trim().includes("\n"))
    return null;
  return (
    <button type="button" class="text-button" onClick={() => takePlan(session, { text })}>
      Take this as the plan
    </button>
  );
}
