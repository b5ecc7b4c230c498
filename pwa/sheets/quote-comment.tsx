// Comments on pieces of a plan's text: the person can comment on a selection, and change earlier comments.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { OpenSession } from "../session/open-session.ts";
import { commentTexts, planComments, quoteKey, setComment } from "../session/plan-comments.ts";
import { shortened } from "../words/shortened.ts";

const maxQuoteChars = 300;
const shownChars = 40;

/** The selected text within `within`, on one line; "" if there is none. Fields have selections of their own. */
function useSelected(within: ElementPlace) {
  const selected = useSignal("");
  useEffect(() => {
    const look = () => {
      const selection = document.getSelection();
      const inside = selection?.anchorNode && within.current?.contains(selection.anchorNode);
      const text = inside ? selection.toString().replace(/\s+/g, " ").trim() : "";
      selected.value = text.slice(0, maxQuoteChars);
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, []);
  return selected;
}

interface ElementPlace {
  current: HTMLElement | null;
}

interface QuoteCommentProps {
  session: OpenSession;
  plan: Plan;
}

/** The button that comments on the selection; it is within reach of a thumb, above the buttons that decide. */
export function SelectionComment({ session, plan, within }: QuoteCommentProps & { within: ElementPlace }) {
  const selected = useSelected(within);
  const writing = useSignal("");
  const quote = writing.value;
  if (quote !== "")
    return (
      <QuoteField session={session} plan={plan} quote={quote} begun onDone={() => (writing.value = "")} />
    );
  if (selected.value === "") return null;
  return (
    <button
      type="button"
      class="button soft wide quote-button"
      // Without this, a tap would clear the selection before it is read.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        writing.value = selected.value;
      }}
    >
      Comment on “{shortened(selected.value, shownChars)}”
    </button>
  );
}

/** The comments on text that have been written so far. */
export function QuoteComments({ session, plan }: QuoteCommentProps) {
  const quotes = planComments(session, plan).flatMap(({ quote }) => (quote === undefined ? [] : [quote]));
  if (quotes.length === 0) return null;
  return (
    <section>
      <h4>Your comments on the text</h4>
      {quotes.map((quote) => (
        <QuoteField key={quote} session={session} plan={plan} quote={quote} />
      ))}
    </section>
  );
}

function QuoteField({
  session,
  plan,
  quote,
  begun = false,
  onDone,
}: QuoteCommentProps & { quote: string; begun?: boolean; onDone?: () => void }) {
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (begun) input.current?.focus();
  }, [begun]);
  return (
    <label class="quote-field">
      <span class="muted">“{shortened(quote, shownChars)}”</span>
      <textarea
        ref={input}
        class="step-comment"
        rows={2}
        aria-label={`Comment on “${shortened(quote, shownChars)}”`}
        placeholder="What should be different here?"
        value={commentTexts(session, plan)[quoteKey(quote)] ?? ""}
        onInput={(event) => setComment(session, plan, quoteKey(quote), event.currentTarget.value)}
        onBlur={onDone}
      />
    </label>
  );
}
