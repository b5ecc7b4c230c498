// The plan file as text, to be edited by hand. What is kept goes with the next request; only what reads as a plan is kept.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { readEdit } from "../transcript/read-edit.ts";

interface EditPlanSheetProps {
  session: OpenSession;
  plan: Plan;
  onClose(): void;
}

export function EditPlanSheet({ session, plan, onClose }: EditPlanSheetProps) {
  const { planEdit: kept, unfinishedEdit: unfinished } = session.draft.value;
  const before = kept !== null && kept.hash === plan.hash ? kept.markdown : plan.markdown;
  const text = useSignal(unfinished?.hash === plan.hash ? unfinished.text : before);
  const read = useMemo(() => readEdit(plan, text.value), [plan, text.value]);
  const problem = read.ok || text.value === plan.markdown ? undefined : read.problem;
  const write = (markdown: string) => {
    text.value = markdown;
    const sound = readEdit(plan, markdown).ok;
    const changed = sound && markdown !== plan.markdown;
    session.setDraft({
      planEdit: changed ? { version: plan.version, hash: plan.hash, markdown } : null,
      unfinishedEdit: sound ? null : { hash: plan.hash, text: markdown },
    });
  };
  return (
    <Sheet
      title="Edit the plan"
      subtitle={`Your text becomes version ${plan.version + 1}`}
      onClose={onClose}
      tall
      bar={
        <>
          {problem !== undefined && (
            <p id="plan-problem" class="plan-problem" role="alert">
              <InlineCode text={problem} />
            </p>
          )}
          <div class="actions">
            <button
              type="button"
              class="button quiet"
              disabled={text.value === plan.markdown}
              onClick={() => write(plan.markdown)}
            >
              Undo all
            </button>
            <button type="button" class="button plan grow" disabled={problem !== undefined} onClick={onClose}>
              {text.value === plan.markdown ? "Back" : "Keep"}
            </button>
          </div>
        </>
      }
    >
      <textarea
        class="plan-text"
        aria-label="Text of the plan"
        spellcheck={false}
        value={text.value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : "plan-problem"}
        onInput={(event) => write(event.currentTarget.value)}
      />
    </Sheet>
  );
}
