// The plan file as text, to be edited by hand. What is kept goes with the next request.
import { useSignal } from "@preact/signals";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../state/open-session.ts";

interface EditPlanSheetProps {
  session: OpenSession;
  plan: Plan;
  onClose(): void;
}

export function EditPlanSheet({ session, plan, onClose }: EditPlanSheetProps) {
  const kept = session.draft.value.planEdit;
  const before = kept !== null && kept.hash === plan.hash ? kept.markdown : plan.markdown;
  const text = useSignal(before);
  const keep = (markdown: string) => {
    const changed = markdown !== plan.markdown && markdown.trim() !== "";
    session.setDraft({ planEdit: changed ? { version: plan.version, hash: plan.hash, markdown } : null });
  };
  return (
    <Sheet
      title="Edit the plan"
      subtitle={`Version ${plan.version} · your text becomes version ${plan.version + 1}`}
      onClose={onClose}
      tall
      bar={
        <div class="actions">
          <button
            type="button"
            class="button quiet"
            disabled={text.value === plan.markdown}
            onClick={() => {
              text.value = plan.markdown;
              keep(plan.markdown);
            }}
          >
            Undo all
          </button>
          <button type="button" class="button plan grow" onClick={onClose}>
            {text.value === plan.markdown ? "Back" : "Keep"}
          </button>
        </div>
      }
    >
      <textarea
        class="plan-text"
        aria-label="Text of the plan"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          keep(text.value);
        }}
      />
    </Sheet>
  );
}
