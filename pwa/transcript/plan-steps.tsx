// The steps of a plan as stations on a small rail of their own.
import type { ComponentChildren } from "preact";
import type { Step } from "../../shared/plan/plan-file.ts";
import { Checks } from "../components/checks.tsx";
import { Clamped } from "../components/clamped.tsx";
import { WholeWords } from "../markdown/whole.tsx";
import { noteInWords } from "../words/note-words.ts";

const marks = {
  pending: "hollow",
  active: "running",
  done: "done",
  failed: "failed",
  skipped: "skipped",
} as const;

interface PlanStepsProps {
  steps: readonly Step[];
  full?: boolean;
  /** Drawn below a step; `number` counts from 1. */
  below?(step: Step, number: number): ComponentChildren;
}

export function PlanSteps({ steps, full = false, below }: PlanStepsProps) {
  return (
    <ol class="plan-steps">
      {steps.map((step, index) => (
        <li key={step.id} class={marks[step.status]}>
          <div class="step-title">
            <span class="step-number">{index + 1}</span>{" "}
            {full ? (
              <span>
                <WholeWords text={step.description} />
              </span>
            ) : (
              <Clamped text={step.description} />
            )}
            {step.status !== "pending" && step.status !== "skipped" && (
              <span class="visually-hidden">, {step.status}</span>
            )}
          </div>
          {step.status === "skipped" && (
            <p class="step-note">
              skipped{step.note === undefined || full ? "" : ": "}
              {step.note !== undefined && !full && <WholeWords text={step.note} />}
            </p>
          )}
          {step.checkpoint !== null && below === undefined && <Checks checks={[step.checkpoint]} />}
          {full && (
            <>
              <Lines label="does" lines={step.actions} />
              <Lines label="needs" lines={step.preconditions} />
              <Lines label="gives" lines={step.postconditions} />
              {step.onFail !== "ask" && <p class="step-note">if it fails: {step.onFail}</p>}
              {step.note !== undefined && <p class="step-note">{noteInWords(step)}</p>}
            </>
          )}
          {below?.(step, index + 1)}
        </li>
      ))}
    </ol>
  );
}

function Lines({ label, lines }: { label: string; lines: readonly string[] }) {
  return (
    <>
      {lines.map((line) => (
        <p class="step-note" key={line}>
          {label}: <WholeWords text={line} />
        </p>
      ))}
    </>
  );
}
