// The end of a plan in three lines; a tap shows everything that was done.
import { changesInWords } from "../../shared/session/session-summary.ts";
import { go } from "../browser/route.ts";
import { Markdown, Words } from "../markdown/markdown.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { finishFacts } from "./finish-facts.ts";

export function FinishCard({ text, session }: { text: string; session: OpenSession }) {
  const { goal, facts, open, files } = finishFacts(text);
  const changed = changesInWords(files);
  return (
    <div class="row">
      <article class="card finish">
        <h2>Finished</h2>
        <p>
          <Words text={goal} />
        </p>
        {facts.length > 0 && <p class="muted">{facts.join(" · ")}</p>}
        {open.map((line) => (
          <p key={line} class="problem">
            <Words text={line} />
          </p>
        ))}
        {changed !== undefined && (
          <button
            type="button"
            class="stop-line"
            onClick={() => go({ page: "changes", id: session.record.value.id })}
          >
            <span>
              <b>Changes</b> {changed}
            </span>
            <span class="chevron" aria-hidden="true" />
          </button>
        )}
        {facts.length > 0 && (
          <details>
            <summary class="stop-line muted">Step by step</summary>
            <Markdown text={text.slice(text.indexOf("\n") + 1)} />
          </details>
        )}
      </article>
    </div>
  );
}
