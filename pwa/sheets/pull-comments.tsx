// Comments of a pull request. They are shown as text and cannot act; each can be fixed or resolved.
import { useSignal } from "@preact/signals";
import type { PullComment } from "../../shared/forge.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { oneLineOf } from "../components/shown-text.ts";

interface PullCommentsProps {
  comments: readonly PullComment[];
  /** True if the comment's buttons work now. */
  may: boolean;
  /** True if the pull request is open. */
  open: boolean;
  onFix(comment: PullComment): void;
  onResolve(comment: PullComment): void;
  /** Returns whether the message was sent. */
  onAnswer(comment: PullComment, text: string, andResolve: boolean): Promise<boolean>;
}

export function PullComments({ comments, may, open, onFix, onResolve, onAnswer }: PullCommentsProps) {
  const answering = useSignal<string | null>(null);
  // Unresolved comments come first.
  const ordered = comments.toSorted((a, b) => Number(a.resolved) - Number(b.resolved));
  return (
    <ul class="pull-list" aria-label="Comments">
      {ordered.map((comment) => (
        <li key={comment.id} class={comment.resolved ? "resolved" : ""}>
          <span>
            <b>{oneLineOf(comment.by)}</b>{" "}
            <span class="muted">
              {placeOf(comment)}
              {comment.resolved ? " · resolved" : comment.outdated ? " · the lines have changed since" : ""}
            </span>
            {comment.lines !== undefined && !comment.resolved && (
              <pre class="pull-lines">{comment.lines}</pre>
            )}
            <span class="pull-text">
              <InlineCode text={comment.text} />
            </span>
            {comment.answers.map(({ by, text }, index) => (
              <span key={index} class="pull-text answer">
                <b>{oneLineOf(by)}</b> <InlineCode text={text} />
              </span>
            ))}
          </span>
          {open && !comment.resolved && (
            <span class="pull-acts">
              <button type="button" class="button soft" disabled={!may} onClick={() => onFix(comment)}>
                Fix this
              </button>
              {comment.thread !== null && (
                <button type="button" class="button quiet" disabled={!may} onClick={() => onResolve(comment)}>
                  Resolve
                </button>
              )}
              <button
                type="button"
                class="button quiet"
                aria-expanded={answering.value === comment.id}
                onClick={() => (answering.value = answering.value === comment.id ? null : comment.id)}
              >
                Answer…
              </button>
            </span>
          )}
          {open && answering.value === comment.id && (
            <AnswerField
              canResolve={comment.thread !== null && !comment.resolved}
              may={may}
              onSay={async (text, andResolve) => {
                if (await onAnswer(comment, text, andResolve)) answering.value = null;
              }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

interface AnswerFieldProps {
  canResolve: boolean;
  may: boolean;
  onSay(text: string, andResolve: boolean): Promise<void>;
}

function AnswerField({ canResolve, may, onSay }: AnswerFieldProps) {
  const text = useSignal("");
  const said = text.value.trim();
  return (
    <span class="pull-answer">
      <textarea
        class="answer-text"
        rows={2}
        maxLength={10_000}
        aria-label="Your answer"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <span class="pull-acts">
        <button
          type="button"
          class="button soft"
          disabled={!may || said === ""}
          onClick={() => void onSay(said, false)}
        >
          Answer
        </button>
        {canResolve && (
          <button
            type="button"
            class="button quiet"
            disabled={!may || said === ""}
            onClick={() => void onSay(said, true)}
          >
            Answer and resolve
          </button>
        )}
      </span>
    </span>
  );
}

function placeOf({ path, line }: PullComment): string {
  if (path === undefined) return "";
  return line === undefined ? path : `${path}, line ${line}`;
}
