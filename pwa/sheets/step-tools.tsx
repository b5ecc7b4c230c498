// Below a step in the plan sheet: how its check went, a comment for the rejection, the button that restores the files from before it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Plan, Step } from "../../shared/plan/plan-file.ts";
import { openSheet } from "../browser/sheet.ts";
import { Command } from "../components/command.tsx";
import { durationInWords } from "../components/elapsed.tsx";
import type { OpenSession } from "../session/open-session.ts";
import type { StepCheckShown } from "./plan-facts.ts";

interface StepToolsProps {
  session: OpenSession;
  plan: Plan;
  step: Step;
  number: number;
  /** How that very check went, where it ran. */
  check: StepCheckShown | undefined;
  /** The plan waits for a word: its steps can be commented on. */
  open: boolean;
  /** It is the plan in force and nothing runs: its steps can be undone. */
  undoes: boolean;
}

export function StepTools({ session, plan, step, number, check, open, undoes }: StepToolsProps) {
  const canUndo = undoes && step.snapshot !== undefined && step.status !== "pending";
  return (
    <>
      {step.checkpoint !== null && (
        <p class={`step-note ${check === undefined || check.timedOut ? "" : check.passed ? "good" : "bad"}`}>
          {check === undefined ? "checked by" : check.passed ? "✓" : check.timedOut ? "…" : "✗"}{" "}
          <Command text={step.checkpoint.command} />
          {check !== undefined && ` ${howItWent(check)}`}
          {check !== undefined && check.ms >= 1_000 && ` · ${durationInWords(check.ms)}`}
        </p>
      )}
      {open && <StepComment session={session} plan={plan} step={step} number={number} />}
      {canUndo && (
        <button
          type="button"
          class="text-button plain"
          onClick={() => openSheet({ kind: "undo", stepId: step.id })}
        >
          Undo to before step {number}
        </button>
      )}
    </>
  );
}

function howItWent({ passed, timedOut, failedBefore }: StepCheckShown): string {
  if (passed) return "passed";
  if (timedOut) return "ran out of time";
  return failedBefore ? "failed, and failed before too" : "failed";
}

type StepCommentProps = Pick<StepToolsProps, "session" | "plan" | "step" | "number">;

function StepComment({ session, plan, step, number }: StepCommentProps) {
  const kept = session.draft.value.stepComments;
  const texts = kept?.hash === plan.hash ? kept.texts : {};
  const text = texts[step.id] ?? "";
  const writing = useSignal(text !== "");
  const begun = useSignal(false);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (begun.value) input.current?.focus();
  }, [begun.value]);
  const name = `Comment on step ${number}`;
  if (!writing.value) {
    return (
      <button
        type="button"
        class="text-button"
        aria-label={name}
        onClick={() => {
          writing.value = true;
          begun.value = true;
        }}
      >
        Comment
      </button>
    );
  }
  return (
    <textarea
      ref={input}
      class="step-comment"
      rows={2}
      aria-label={name}
      placeholder="What should be different here?"
      value={text}
      onInput={(event) =>
        session.setDraft({
          stepComments: { hash: plan.hash, texts: { ...texts, [step.id]: event.currentTarget.value } },
        })
      }
      onBlur={() => {
        if (text.trim() === "") writing.value = false;
        begun.value = false;
      }}
    />
  );
}
