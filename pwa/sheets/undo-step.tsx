// Undoes a step and the steps after it. Shows first which files come back.
import { useSignal } from "@preact/signals";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { inWords } from "../app/app-state.ts";
import { beforeRewind } from "../app/workspace.ts";
import { leaveSheetTo } from "../browser/sheet.ts";
import type { Beginning } from "../changes/read-changes.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { othersAtWork, useSandboxNow } from "../components/others-at-work.ts";
import { Sheet } from "../components/sheet.tsx";
import { WholeWords } from "../markdown/whole.tsx";
import { rewind } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import {
  alsoChosen,
  type Ticks,
  useWhatComesBack,
  WaitsForOthers,
  WhatComesBack,
} from "./what-comes-back.tsx";

interface UndoStepProps {
  session: OpenSession;
  plan: Plan;
  step: Beginning;
  onClose(): void;
}

export function UndoStep({ session, plan, step, onClose }: UndoStepProps) {
  const { id, sandboxId } = session.record.value;
  const { snapshot, stepId } = step;
  const others = othersAtWork(useSandboxNow(sandboxId).value);
  const looked = useWhatComesBack(sandboxId, snapshot, others);
  const ticks = useSignal<Ticks>(new Set());
  const busy = useSignal(false);
  const at = plan.steps.findIndex((each) => each.id === stepId);
  const title = `Undo to before step ${at + 1}`;
  const runs = session.outbox.value.turn !== null;
  const waits = runs || others === undefined || others.length > 0;
  const undo = async () => {
    const seen = looked.value;
    if (seen.kind !== "seen") return;
    busy.value = true;
    try {
      const before = await beforeRewind(sandboxId, snapshot, alsoChosen(seen.changes, ticks.value));
      const text = `step ${at + 1}, ${plan.steps[at]?.description ?? stepId}`;
      void session.choose({ undone: { snapshot: before, text } });
      rewind(session, stepId);
      leaveSheetTo({ page: "session", id });
    } catch (error) {
      looked.value = { kind: "failed", message: inWords(error).message };
    }
    busy.value = false;
  };
  return (
    <Sheet
      title={title}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button soft bad grow"
            disabled={waits || busy.value || looked.value.kind !== "seen" || !session.writes.value}
            onClick={() => void undo()}
          >
            {title}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <p>
          <WholeWords text={plan.steps[at]?.description ?? ""} />
        </p>
        <WhatComesBack looked={looked.value} ticks={ticks} ownStays={false} />
        <p>
          {at + 1 < plan.steps.length
            ? `Step ${at + 1} and those after it are open again.`
            : `Step ${at + 1} is open again.`}{" "}
          What was said stays, and so do commits, files that git ignores, and whatever a command did outside
          the workspace.
        </p>
        <WaitsForOthers runs={runs} others={others} />
      </div>
    </Sheet>
  );
}
