// Saves the plan as a Markdown file in the repository, `plans/DATE-TITLE.md`, so that another session can load it.
import { useSignal } from "@preact/signals";
import { HandrailError } from "../../shared/errors.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { api, inWords } from "../app/app-state.ts";
import type { OpenSession } from "../session/open-session.ts";
import { planFileNames } from "../session/plan-file-names.ts";

export function SavePlan({ session, plan }: { session: OpenSession; plan: Plan }) {
  const told = useSignal<string | undefined>(undefined);
  const saving = useSignal(false);
  const save = async () => {
    saving.value = true;
    const { sandboxId } = session.record.value;
    for (const path of planFileNames(plan, new Date())) {
      try {
        const body = JSON.stringify({ path, text: plan.markdown });
        await api.send(`/sandboxes/${sandboxId}/plan-file`, { method: "POST", body });
        told.value = `Saved as ${path}.`;
        return;
      } catch (error) {
        told.value = inWords(error).message;
        // A file of that name exists, so the next name is tried.
        if (!(error instanceof HandrailError && error.code === "stale_file")) break;
      }
    }
    saving.value = false;
  };
  return (
    <section>
      {told.value !== undefined && (
        <p class="quiet" role="status">
          {told.value}
        </p>
      )}
      <button type="button" class="button soft" disabled={saving.value} onClick={() => void save()}>
        Save as a file
      </button>
    </section>
  );
}
