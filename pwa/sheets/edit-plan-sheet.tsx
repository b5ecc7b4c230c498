// Edits the plan by hand, step by step or as text. The edit is sent with the next request. Text can be saved only if it
// parses as a plan.
import "../styles/edit-plan.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { guardSheet } from "../browser/sheet.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { readEdit } from "../transcript/read-edit.ts";
import { EditSteps } from "./edit-steps.tsx";
import { bodyOfText, textOfBody, wordlessStep } from "./edited-body.ts";

interface EditPlanSheetProps {
  session: OpenSession;
  plan: Plan;
  onClose(): void;
}

export function EditPlanSheet({ session, plan, onClose }: EditPlanSheetProps) {
  const { planEdit: kept, unfinishedEdit: unfinished } = session.draft.value;
  const before = kept !== null && kept.hash === plan.hash ? kept.markdown : plan.markdown;
  const text = useSignal(unfinished?.hash === plan.hash ? unfinished.text : before);
  const opened = useMemo(() => text.value, []);
  const ids = useMemo(() => plan.steps.map(({ id }) => id), [plan]);
  /** The plan's goal and steps; null while the plan is edited as text. */
  const body = useSignal<PlanBody | null>(useMemo(() => bodyOfText(text.value, ids) ?? null, []));
  const undo = useSignal<readonly string[]>([]);
  const asks = useSignal(false);
  const read = useMemo(() => readEdit(plan, text.value), [plan, text.value]);
  const changed = text.value !== opened;
  const problem = read.ok || text.value === plan.markdown ? undefined : read.problem;
  const wordless = body.value === null ? undefined : wordlessStep(body.value);

  const write = (markdown: string) => {
    text.value = markdown;
    asks.value = false;
    const sound = readEdit(plan, markdown).ok;
    const edited = sound && markdown !== plan.markdown;
    session.setDraft({
      planEdit: edited ? { version: plan.version, hash: plan.hash, markdown } : null,
      unfinishedEdit: sound ? null : { hash: plan.hash, text: markdown },
    });
  };
  const back = (markdown: string) => {
    if (body.value !== null) body.value = bodyOfText(markdown, ids) ?? null;
    write(markdown);
  };
  const close = () => {
    if (changed && !asks.value) asks.value = true;
    else onClose();
  };
  useEffect(
    () =>
      guardSheet(() => {
        const isAsked = asks.value;
        asks.value = text.value !== opened;
        return asks.value && !isAsked;
      }),
    [],
  );

  const noSteps = read.ok && read.plan.steps.length === 0 && plan.steps.length > 0;
  return (
    <Sheet
      title="Edit the plan"
      subtitle={`Becomes version ${plan.version + 1}`}
      onClose={close}
      tall
      bar={
        asks.value ? (
          <div class="actions" role="alert">
            <p class="bar-words whole">
              {problem === undefined
                ? "Keep your changes? They go with what you decide about the plan."
                : "This does not read as a plan yet. It can be kept here, to be finished later."}
            </p>
            <button
              type="button"
              class="button quiet bad"
              onClick={() => {
                write(opened);
                onClose();
              }}
            >
              Discard
            </button>
            <button type="button" class="button plan grow" onClick={onClose}>
              {problem === undefined ? "Keep" : "Keep for later"}
            </button>
          </div>
        ) : (
          <>
            {problem !== undefined && (
              <p id="plan-problem" class="plan-problem" role="alert">
                <InlineCode text={wordless === undefined ? problem : `Step ${wordless} has no text yet.`} />
              </p>
            )}
            {noSteps && (
              <p class="plan-problem calm" role="status">
                No steps are left: the plan runs in one piece, without checks and undo points.
              </p>
            )}
            <div class="actions">
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  body.value = body.value === null ? (bodyOfText(text.value, ids) ?? null) : null;
                }}
                disabled={body.value === null && bodyOfText(text.value, ids) === undefined}
              >
                {body.value === null ? "As steps" : "As text"}
              </button>
              <button
                type="button"
                class="button soft"
                disabled={undo.value.length === 0 && text.value === plan.markdown}
                onClick={() => {
                  const last = undo.value.at(-1);
                  undo.value = undo.value.slice(0, -1);
                  back(last ?? plan.markdown);
                }}
              >
                {undo.value.length === 0 ? "Undo all" : "Undo"}
              </button>
              <button
                type="button"
                class="button plan grow"
                disabled={problem !== undefined}
                onClick={onClose}
              >
                {text.value === plan.markdown ? "Back" : noSteps ? "Keep without steps" : "Keep"}
              </button>
            </div>
          </>
        )
      }
    >
      {body.value === null ? (
        <textarea
          class="plan-text"
          aria-label="Text of the plan"
          spellcheck={false}
          value={text.value}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "plan-problem"}
          onInput={(event) => write(event.currentTarget.value)}
        />
      ) : (
        <EditSteps
          body={body.value}
          ids={ids}
          onChange={(next, undoable) => {
            if (undoable) undo.value = [...undo.value, text.value];
            body.value = next;
            write(textOfBody(next, text.value));
          }}
        />
      )}
    </Sheet>
  );
}
