// The end of a plan: said once, in three lines; everything that was done is a tap away.
import type { FileCount } from "../../shared/session/session-state.ts";
import { changesInWords } from "../../shared/session/session-summary.ts";
import { go } from "../browser/route.ts";
import { Markdown, Words } from "../markdown/markdown.tsx";
import type { OpenSession } from "../session/open-session.ts";

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
              <b>Changed</b> {changed}
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

interface FinishFacts {
  goal: string;
  /** "4 of 4 steps", "3 of 3 checks passed". */
  facts: string[];
  /** What did not pass or was not finished, one line each. */
  open: string[];
  files: Record<string, FileCount>;
}

export function finishFacts(text: string): FinishFacts {
  const [first = ""] = text.split("\n", 1);
  const steps = /^Steps: (\d+ of \d+)$/m.exec(text)?.[1];
  const checks = /^Checks: (\d+ of \d+) passed$/m.exec(text)?.[1];
  const listed = /^Checks: .*\n((?:- .*\n?)*)/m.exec(text)?.[1] ?? "";
  const failed = listed.split("\n").filter((line) => line !== "" && !line.endsWith(": passed"));
  const left = /^By the person's word\n- (.*)$/m.exec(text)?.[1];
  const files: Record<string, FileCount> = {};
  for (const [, path = "", added, removed] of text.matchAll(/^- (.+) \+(\d+) -(\d+)$/gm))
    files[path] = { added: Number(added), removed: Number(removed) };
  return {
    goal: first.replace(/^Finished: /, ""),
    facts: [
      ...(steps === undefined ? [] : [`${steps} steps`]),
      ...(checks === undefined ? [] : [`${checks} checks passed`]),
    ],
    open: [
      ...(left === undefined ? [] : [`Marked as finished by you: ${left}`]),
      ...failed.map((line) => `Did not pass: ${line.slice(2)}`),
    ],
    files,
  };
}
