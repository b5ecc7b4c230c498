// Going back to before a step: which one, and what comes back with it, before anything is done.
import { useSignal } from "@preact/signals";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { leaveSheetTo } from "../browser/sheet.ts";
import { type Beginning, beginnings } from "../changes/read-changes.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { momentInWords } from "../components/elapsed.tsx";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { WholeWords } from "../markdown/whole.tsx";
import { rewind } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { UndoTurn } from "./undo-turn.tsx";
import { useWhatComesBack, WhatComesBack } from "./what-comes-back.tsx";

/** Stands for the newest undo among steps and turns. */
const undoneId = "undone";

interface UndoSheetProps {
  session: OpenSession;
  stepId: string | undefined;
  onClose(): void;
}

export function UndoSheet({ session, stepId, onClose }: UndoSheetProps) {
  const picked = useSignal(stepId);
  const { plan } = session.settled.value.head;
  const steps = beginnings(plan);
  const points = (session.record.value.undoPoints ?? []).toReversed();
  const { undone } = session.record.value;
  if (undone !== undefined && picked.value === undoneId)
    return <UndoTurn session={session} point={undone} again onClose={onClose} />;
  const point = points.find(({ turnId }) => turnId === picked.value);
  if (point !== undefined) return <UndoTurn session={session} point={point} onClose={onClose} />;
  const step = steps.find((each) => each.stepId === picked.value);
  if (plan !== null && step !== undefined)
    return <Confirm key={step.stepId} session={session} plan={plan} step={step} onClose={onClose} />;
  return (
    <Sheet
      title="Undo to…"
      subtitle={steps.length === 0 && points.length === 0 ? undefined : "Files go back to what they were."}
      onClose={onClose}
    >
      {steps.length === 0 && points.length === 0 && (
        <p class="muted">
          There is nothing to go back to yet. Changes can be taken back file by file under Changes.
        </p>
      )}
      {undone !== undefined && (
        <MenuGroup title="The newest undo">
          <MenuRow
            icon="undo"
            title="Take the undo back"
            words={<span class="one-line">It went to before: {oneLineOf(undone.text)}</span>}
            onPick={() => (picked.value = undoneId)}
          />
        </MenuGroup>
      )}
      {plan !== null && steps.length > 0 && (
        <MenuGroup title="A step of the plan">
          {plan.steps.map(({ id, description }, at) =>
            steps.some((each) => each.stepId === id) ? (
              <MenuRow
                key={id}
                icon="plan"
                title={`Before step ${at + 1}`}
                words={<WholeWords text={description} still />}
                onPick={() => (picked.value = id)}
              />
            ) : null,
          )}
        </MenuGroup>
      )}
      {points.length > 0 && (
        <MenuGroup title="A turn of yours">
          {points.map(({ turnId, text, at }) => (
            <MenuRow
              key={turnId}
              icon="undo"
              title={`Before ${momentInWords(at, Date.now())}`}
              words={<span class="one-line">{oneLineOf(text)}</span>}
              onPick={() => (picked.value = turnId)}
            />
          ))}
        </MenuGroup>
      )}
    </Sheet>
  );
}

interface ConfirmProps {
  session: OpenSession;
  plan: Plan;
  step: Beginning;
  onClose(): void;
}

function Confirm({ session, plan, step, onClose }: ConfirmProps) {
  const { id, sandboxId } = session.record.value;
  const looked = useWhatComesBack(sandboxId, step.snapshot);
  const at = plan.steps.findIndex((each) => each.id === step.stepId);
  const runs = session.outbox.value.turn !== null;
  return (
    <Sheet
      title={`Undo to before step ${at + 1}`}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button soft bad grow"
            disabled={runs || !session.writes.value}
            onClick={() => {
              rewind(session, step.stepId);
              leaveSheetTo({ page: "session", id });
            }}
          >
            Undo to before step {at + 1}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <p>
          <WholeWords text={plan.steps[at]?.description ?? ""} />
        </p>
        <WhatComesBack looked={looked.value} />
        <p>
          {at + 1 < plan.steps.length
            ? `Step ${at + 1} and those after it are open again.`
            : `Step ${at + 1} is open again.`}{" "}
          What was said stays, and so do commits, files that git ignores, and whatever a command did outside
          the workspace.
        </p>
        {runs && <p class="problem">The agent is working. Stop it first.</p>}
      </div>
    </Sheet>
  );
}
