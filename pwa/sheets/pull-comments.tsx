// Comments of a pull request: shown as text, never as anything that acts; each to be fixed or resolved.
import type { PullComment } from "../../shared/forge.ts";
import { oneLineOf } from "../components/shown-text.ts";

interface PullCommentsProps {
  comments: readonly PullComment[];
  /** Something may be done now. */
  may: boolean;
  /** The pull request is open. */
  open: boolean;
  onFix(comment: PullComment): void;
  onResolve(comment: PullComment): void;
}

export function PullComments({ comments, may, open, onFix, onResolve }: PullCommentsProps) {
  // What waits for an answer comes first.
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
            <span class="pull-text">{comment.text}</span>
            {comment.answers.map(({ by, text }, index) => (
              <span key={index} class="pull-text answer">
                <b>{oneLineOf(by)}</b> {text}
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
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function placeOf({ path, line }: PullComment): string {
  if (path === undefined) return "";
  return line === undefined ? path : `${path}, line ${line}`;
}
