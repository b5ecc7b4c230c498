// A comment on one line while it is being written. Its text goes into the draft with every key.
import { useEffect, useRef } from "preact/hooks";
import type { OpenSession } from "../session/open-session.ts";
import type { LineComment } from "../storage/draft.ts";

export type CommentPlace = Omit<LineComment, "text">;

export function isAt(comment: LineComment, { path, line, removed }: CommentPlace): boolean {
  return comment.path === path && comment.line === line && comment.removed === removed;
}

interface CommentBoxProps {
  session: OpenSession;
  place: CommentPlace;
  /** True while the box is open for writing; otherwise the comment is only shown. */
  open: boolean;
  onOpen(place: CommentPlace | null): void;
}

export function CommentBox({ session, place, open, onOpen }: CommentBoxProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);
  const { lineComments } = session.draft.value;
  const text = lineComments.find((comment) => isAt(comment, place))?.text ?? "";
  const write = (next: string) => {
    const others = lineComments.filter((comment) => !isAt(comment, place));
    session.setDraft({ lineComments: next === "" ? others : [...others, { ...place, text: next }] });
  };
  const name = `Comment on line ${place.line} of ${place.path}`;
  if (!open) {
    return (
      <button type="button" class="line-comment kept" aria-label={name} onClick={() => onOpen(place)}>
        {text}
      </button>
    );
  }
  return (
    <div class="line-comment">
      <textarea
        ref={input}
        rows={2}
        aria-label={name}
        placeholder={`About line ${place.line}`}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <div class="actions">
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            write("");
            onOpen(null);
          }}
        >
          {text === "" ? "Cancel" : "Remove"}
        </button>
        <button type="button" class="button soft" disabled={text.trim() === ""} onClick={() => onOpen(null)}>
          Keep
        </button>
      </div>
    </div>
  );
}
