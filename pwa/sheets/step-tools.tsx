// The tools below a step in the plan sheet: the result of its check, a comment for the decision, and the button that
// restores the files from before it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Plan, Step } from "../../shared/plan/plan-file.ts";
import { openSheet } from "../browser/sheet.ts";
import { Command } from "../components/command.tsx";
import { durationInWords } from "../components/elapsed.tsx";
import type { CheckFacts, CheckOutcome } from "../session/check-facts.ts";
import type { OpenSession } from "../session/open-session.ts";
import { commentTexts, setComment } from "../session/plan-comments.ts";

interface StepToolsProps {
  session: OpenSession;
  plan: Plan;
  step: Step;
  number: number;
  /** The result of exactly the check that the step has now, if it ran. */
  check: CheckFacts | undefined;
  /** True if the plan waits for a decision, so that its steps can be commented on. */
  open: boolean;
  /** True if the plan is active and no turn runs, so that its steps can be undone. */
  undoes: boolean;
}

export function StepTools({ session, plan, step, number, check, open, undoes }: StepToolsProps) {
  const canUndo = undoes && step.snapshot !== undefined && step.status !== "pending";
  return (
    <>
      {step.checkpoint !== null && (
        <p class={`step-note ${check === undefined ? "" : outcomes[check.outcome].tone}`}>
          {check === undefined ? "checked by" : outcomes[check.outcome].mark}{" "}
          <Command text={step.checkpoint.command} />
          {check !== undefined && ` ${outcomes[check.outcome].words}`}
          {check !== undefined && check.ms >= 1_000 && ` · ${durationInWords(check.ms)}`}
        </p>
      )}
      {check?.before !== undefined && <p class="step-note">{check.before}</p>}
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

const outcomes: Record<CheckOutcome, { mark: string; tone: string; words: string }> = {
  passed: { mark: "✓", tone: "good", words: "passed" },
  failed: { mark: "✗", tone: "bad", words: "failed" },
  out_of_time: { mark: "…", tone: "", words: "ran out of time" },
  not_run: { mark: "…", tone: "", words: "could not be run" },
};

type StepCommentProps = Pick<StepToolsProps, "session" | "plan" | "step" | "number">;

function StepComment({ session, plan, step, number }: StepCommentProps) {
  const text = commentTexts(session, plan)[step.id] ?? "";
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
      onInput={(event) => setComment(session, plan, step.id, event.currentTarget.value)}
      onBlur={() => {
        if (text.trim() === "") writing.value = false;
        begun.value = false;
      }}
    />
  );
}
