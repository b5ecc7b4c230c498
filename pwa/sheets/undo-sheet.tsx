// Going back to before a step: which one, and what comes back with it, before anything is done.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import { leaveSheetTo } from "../browser/sheet.ts";
import { type Beginning, beginnings, readSince } from "../changes/read-changes.ts";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";
import { Words } from "../markdown/markdown.tsx";
import { rewind } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

interface UndoSheetProps {
  session: OpenSession;
  stepId: string | undefined;
  onClose(): void;
}

export function UndoSheet({ session, stepId, onClose }: UndoSheetProps) {
  const picked = useSignal(stepId);
  const { plan } = session.settled.value.head;
  const steps = beginnings(plan);
  const step = steps.find((each) => each.stepId === picked.value);
  if (plan !== null && step !== undefined)
    return <Confirm key={step.stepId} session={session} plan={plan} step={step} onClose={onClose} />;
  return (
    <Sheet
      title="Undo to a step"
      subtitle={steps.length === 0 ? undefined : "Files go back to before it began."}
      onClose={onClose}
    >
      {steps.length === 0 && (
        <p class="muted">
          No step of a plan has begun, so there is nothing to go back to. Changes can be taken back file by
          file under Changes.
        </p>
      )}
      <div class="choices">
        {plan?.steps.map(({ id, description }, at) =>
          steps.some((each) => each.stepId === id) ? (
            <button key={id} type="button" class="choice" onClick={() => (picked.value = id)}>
              <b>Before step {at + 1}</b>
              <span class="muted">
                <Words text={description} />
              </span>
            </button>
          ) : null,
        )}
      </div>
    </Sheet>
  );
}

type StepChanges =
  | { kind: "looking" }
  | { kind: "failed"; message: string }
  | { kind: "seen"; files: DiffFile[] };

interface ConfirmProps {
  session: OpenSession;
  plan: Plan;
  step: Beginning;
  onClose(): void;
}

function Confirm({ session, plan, step, onClose }: ConfirmProps) {
  const looked = useSignal<StepChanges>({ kind: "looking" });
  const { id, sandboxId } = session.record.value;
  useEffect(() => {
    readSince(sandboxId, step.snapshot).then(
      ({ files }) => (looked.value = { kind: "seen", files }),
      (error: unknown) => (looked.value = { kind: "failed", message: inWords(error).message }),
    );
  }, [step.snapshot]);
  const at = plan.steps.findIndex((each) => each.id === step.stepId);
  const runs = session.outbox.value.turn !== null;
  return (
    <Sheet
      title={`Undo to before step ${at + 1}`}
      onClose={onClose}
      bar={
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            Cancel
          </button>
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
        </div>
      }
    >
      <div class="sheet-words">
        <p>
          <Words text={plan.steps[at]?.description ?? ""} />
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

function WhatComesBack({ looked }: { looked: StepChanges }) {
  if (looked.kind === "looking") return <p class="muted">Looking at what has changed since…</p>;
  if (looked.kind === "failed") return <p class="problem">{looked.message}</p>;
  if (looked.files.length === 0) return <p>No file has changed since: none is touched.</p>;
  return (
    <>
      <p>
        <b>{plural(looked.files.length, "file")}</b> {looked.files.length === 1 ? "goes" : "go"} back to what{" "}
        {looked.files.length === 1 ? "it was" : "they were"}:
      </p>
      <ul class="back-list">
        {looked.files.map(({ path, status, added, removed }) => (
          <li key={path}>
            <code>{oneLineOf(path)}</code>{" "}
            <span class="muted">
              {status === "new"
                ? "is deleted"
                : status === "deleted"
                  ? "comes back"
                  : `+${added} −${removed} taken back`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
