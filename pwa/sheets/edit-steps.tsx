// The goal and the steps of a plan, which can be changed one by one.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { PlanBody } from "../../shared/plan/plan-file.ts";
import { guardSheet } from "../browser/sheet.ts";
import { Icon } from "../components/icon.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { EditStep } from "./edit-step.tsx";
import { withNewStep, withoutStep, withStep, withStepMoved } from "./edited-body.ts";
import { GrowingField } from "./growing-field.tsx";

interface EditStepsProps {
  body: PlanBody;
  /** The ids of this plan's steps, including removed ones. */
  ids: readonly string[];
  /** If `undoable`, Undo can restore the previous state. */
  onChange(body: PlanBody, undoable: boolean): void;
}

export function EditSteps({ body, ids, onChange }: EditStepsProps) {
  const opened = useSignal<string | null>(null);
  /** True once the open row was changed. Only its first change is undoable, so Undo reverts the row as a whole. */
  const touched = useSignal(false);
  const open = (id: string | null) => {
    const left = body.steps.find((step) => step.id === opened.value);
    const blank = left !== undefined && left.description.trim() === "" && left.checkpoint === null;
    opened.value = id;
    touched.value = false;
    // Remove a step that was left without any text.
    if (blank) onChange(withoutStep(body, left.id), false);
  };
  const done = useRef(() => open(null));
  done.current = () => open(null);
  const isOpen = opened.value !== null;
  useLayoutEffect(() => {
    if (!isOpen) return;
    // Escape and the back button close the row as "Done" does; the plan stays open.
    return guardSheet(() => {
      const closes = opened.value !== null;
      done.current();
      return closes;
    });
  }, [isOpen]);
  const type = (next: PlanBody) => {
    onChange(next, !touched.value);
    touched.value = true;
  };
  return (
    <>
      {opened.value === "goal" ? (
        <div class="edit-step open">
          <GrowingField
            label="Goal"
            focus
            value={body.goal}
            onInput={(value) => type({ ...body, goal: value.replace(/\n{2,}/g, "\n") })}
          />
          <div class="edit-tools">
            <button type="button" class="button soft" onClick={() => open(null)}>
              Done
            </button>
          </div>
        </div>
      ) : (
        <button type="button" class="edit-line edit-goal" aria-expanded={false} onClick={() => open("goal")}>
          <span class="edit-words">
            <InlineCode text={body.goal === "" ? "No goal" : (body.goal.split("\n", 1)[0] ?? "")} />
          </span>
        </button>
      )}
      <ol class="edit-steps">
        {body.steps.map((step, index) => (
          <EditStep
            key={step.id}
            step={step}
            number={index + 1}
            last={index === body.steps.length - 1}
            open={opened.value === step.id}
            onOpen={(isOpen) => open(isOpen ? step.id : null)}
            onChange={(change) => type(withStep(body, step.id, change))}
            onMove={(by) => onChange(withStepMoved(body, step.id, by), true)}
            onDelete={() => {
              opened.value = null;
              onChange(withoutStep(body, step.id), true);
            }}
          />
        ))}
      </ol>
      <button
        type="button"
        class="edit-line edit-add"
        onClick={() => {
          const added = withNewStep(body, "", ids);
          onChange(added.body, true);
          opened.value = added.id;
          touched.value = true;
        }}
      >
        <Icon name="plus" size={18} /> Add a step
      </button>
    </>
  );
}
