// What can be done with a whole session: changes, plan, name, deletion; and what it is made of.
import { contextOf } from "../../shared/session/context-figures.ts";
import { changesInWords, plural } from "../../shared/session/session-summary.ts";
import { config } from "../app/app-state.ts";
import { leaveSheetTo, openSheet } from "../browser/sheet.ts";
import { SessionChoices } from "../components/session-choices.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { spentInWords } from "../words/model-words.ts";
import { NameField } from "./name-field.tsx";

export function MenuSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { record, settled } = session;
  const { plan, model, changes } = settled.value.head;
  const context = contextOf(settled.value);
  const spent = spentInWords(settled.value.head.spent);
  const provider = config.value?.providers.find(({ id }) => id === model?.provider);
  return (
    <Sheet title={record.value.title} subtitle={record.value.workspace} onClose={onClose}>
      <div class="choices">
        <NameField session={session} />
        <button
          type="button"
          class="choice"
          onClick={() => {
            leaveSheetTo({ page: "changes", id: record.value.id });
          }}
        >
          <b>Changes</b>
          <span class="muted">{changesInWords(changes) ?? "nothing edited by the agent yet"}</span>
        </button>
        <button
          type="button"
          class="choice"
          onClick={() => leaveSheetTo({ page: "files", id: record.value.id })}
        >
          <b>Files</b>
          <span class="muted">read, download</span>
        </button>
        {plan !== null && (
          <button type="button" class="choice" onClick={() => openSheet({ kind: "plan", plan })}>
            <b>Plan · version {plan.version}</b>
            <span class="muted">{plan.goal}</span>
          </button>
        )}
        <button type="button" class="choice" onClick={() => openSheet({ kind: "allowed" })}>
          <b>Allowed and taken out</b>
          <span class="muted">what is not asked about any more, and what was taken out of the workspace</span>
        </button>
        <p class="facts muted">
          {model !== null && (
            <span>
              {provider?.demo === true
                ? "Scripted demo"
                : `${provider?.label ?? model.provider} · ${model.id}`}
            </span>
          )}
          {context !== undefined && (
            <span>
              Context {Math.round((100 * context.tokens) / Math.max(1, context.budget))} % of{" "}
              {Math.round(context.budget / 1000)}k tokens
            </span>
          )}
          {context !== undefined && context.trimmed > 0 && (
            <span>
              {plural(context.trimmed, "older message")} shortened or left out for the model; here they are
              whole
            </span>
          )}
          {spent !== undefined && <span>{spent}</span>}
        </p>
        <SessionChoices session={session} />
      </div>
    </Sheet>
  );
}
