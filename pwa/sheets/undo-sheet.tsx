// The states to which the person can go back: before the newest undo, steps of the plan, turns.
import { useSignal } from "@preact/signals";
import { beginnings } from "../changes/read-changes.ts";
import { momentInWords } from "../components/elapsed.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { Sheet } from "../components/sheet.tsx";

import { WholeWords } from "../markdown/whole.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { UndoStep } from "./undo-step.tsx";
import { UndoTurn } from "./undo-turn.tsx";

/** "now", "2 min ago", or the time or day. */
function agoInWords(at: number): string {
  const moment = momentInWords(at, Date.now());
  return moment.endsWith(" min") ? `${moment} ago` : moment;
}

/** The id under which the list of steps and turns has the newest undo. */
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
    return <UndoStep key={step.stepId} session={session} plan={plan} step={step} onClose={onClose} />;
  return (
    <Sheet
      title="Undo to…"
      subtitle={steps.length === 0 && points.length === 0 ? undefined : "Restores the files."}
      onClose={onClose}
    >
      {steps.length === 0 && points.length === 0 && (
        <p class="muted">There is nothing to undo yet. Single files can be reverted under Changes.</p>
      )}
      {undone !== undefined && (
        <MenuGroup title="Latest undo">
          <MenuRow
            icon="undo"
            title="Redo"
            words={
              <span class="two-lines">
                Undone to before: <InlineCode text={undone.text} />
              </span>
            }
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
                words={
                  <span class="two-lines">
                    <WholeWords text={description} still />
                  </span>
                }
                onPick={() => (picked.value = id)}
              />
            ) : null,
          )}
        </MenuGroup>
      )}
      {points.length > 0 && (
        <MenuGroup title="Before a turn">
          {points.map(({ turnId, text, at }) => (
            <MenuRow
              key={turnId}
              icon="undo"
              title={<InlineCode text={text} />}
              words={agoInWords(at)}
              onPick={() => (picked.value = turnId)}
            />
          ))}
        </MenuGroup>
      )}
    </Sheet>
  );
}
