// Where one can go in a session, and how full the model's context is.
import { contextOf } from "../../shared/session/context-figures.ts";
import { Sheet } from "../components/sheet.tsx";
import { Words } from "../markdown/markdown.tsx";
import { lastSaid } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { type ScrollTarget, scrollTarget } from "../session/scroll-target.ts";

const stepWords = { pending: "", active: "runs", done: "done", failed: "failed", skipped: "skipped" };

export function PlacesSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { head, entries } = session.settled.value;
  const context = contextOf(session.settled.value);
  const said = lastSaid(session);
  const begun = head.plan?.steps.filter((step) => step.status !== "pending") ?? [];
  // What was said before may not be loaded yet: the way there loads it.
  const asked = entries.some(({ event }) => event === "ledger") || (head.plan?.decisions.length ?? 0) > 0;
  const to = (place: ScrollTarget) => () => {
    onClose();
    scrollTarget.value = place;
  };
  return (
    <Sheet
      title="Go to"
      subtitle={
        context && `Context ${Math.round((100 * context.tokens) / Math.max(1, context.budget))} % full`
      }
      onClose={onClose}
    >
      <div class="choices">
        <button type="button" class="choice" onClick={to({ to: "newest" })}>
          <b>The newest</b>
        </button>
        {head.saidCount > 0 && (
          <button type="button" class="choice" onClick={to({ to: "said" })}>
            <b>What you said last</b>
            {said !== undefined && <span class="muted one-line">{said.content}</span>}
          </button>
        )}
        {asked && (
          <button type="button" class="choice" onClick={to({ to: "asked" })}>
            <b>The last questions</b>
          </button>
        )}
        {begun.map((step) => (
          <button type="button" class="choice" key={step.id} onClick={to({ to: "step", stepId: step.id })}>
            <b>
              <Words text={step.description} />
            </b>
            <span class="muted">
              Step {(head.plan?.steps.indexOf(step) ?? 0) + 1} · {stepWords[step.status]}
            </span>
          </button>
        ))}
      </div>
    </Sheet>
  );
}
