// One step of a plan that is being edited: a line, and after a tap its text, its check and its place.
import { useEffect, useRef } from "preact/hooks";
import { OnFail } from "../../shared/plan/plan-file.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { Icon } from "../components/icon.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { type EditedStep, withCommand } from "./edited-body.ts";
import { GrowingField } from "./growing-field.tsx";

/** What happens if the check fails, in words. */
const onFailWords: Record<EditedStep["onFail"], string> = {
  ask: "ask me",
  retry: "retry",
  rollback: "roll back the step",
  skip: "skip to the next step",
  stop: "stop",
};

interface EditStepProps {
  step: EditedStep;
  number: number;
  last: boolean;
  open: boolean;
  onOpen(open: boolean): void;
  onChange(change: Partial<EditedStep>): void;
  onMove(by: -1 | 1): void;
  onDelete(): void;
}

export function EditStep({ step, number, last, open, onOpen, onChange, onMove, onDelete }: EditStepProps) {
  const line = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(open);
  useEffect(() => {
    // The row was closed by its own button, which has disappeared, so its line gets the keyboard focus.
    if (wasOpen.current && !open && document.activeElement === document.body) line.current?.focus();
    wasOpen.current = open;
  }, [open]);
  if (!open) {
    return (
      <li class="edit-step">
        <button ref={line} type="button" class="edit-line" aria-expanded={false} onClick={() => onOpen(true)}>
          <span class="edit-number">{number}</span>
          <span class="edit-words">
            <InlineCode text={step.description} />
          </span>
          {step.checkpoint !== null && <span class="count-chip">1 check</span>}
        </button>
      </li>
    );
  }
  const details = step.actions.length + step.preconditions.length + step.postconditions.length;
  return (
    <li class="edit-step open">
      <GrowingField
        label={`Step ${number}`}
        value={step.description}
        focus
        onInput={(value) => onChange({ description: value.replace(/\s*\n\s*/g, " ") })}
      />
      <GrowingField
        label="Check: a command that has to succeed"
        code
        placeholder="None"
        value={step.checkpoint?.command ?? ""}
        onInput={(value) => onChange({ checkpoint: withCommand(step.checkpoint, value) })}
      />
      {step.checkpoint !== null && (
        <label class="field">
          <span>If it fails</span>
          <select
            value={step.onFail}
            onChange={(event) => {
              const onFail = OnFail.def.values.find((option) => option === event.currentTarget.value);
              if (onFail !== undefined) onChange({ onFail });
            }}
          >
            {OnFail.def.values.map((option) => (
              <option key={option} value={option}>
                {onFailWords[option]}
              </option>
            ))}
          </select>
        </label>
      )}
      {details > 0 && (
        <p class="step-note">
          {plural(details, "more line")} of this step {details === 1 ? "stays" : "stay"} as{" "}
          {details === 1 ? "it is" : "they are"}; edit {details === 1 ? "it" : "them"} as text.
        </p>
      )}
      <div class="edit-tools">
        <Tool icon="up" label={`Move step ${number} up`} disabled={number === 1} onTap={() => onMove(-1)} />
        <Tool icon="down" label={`Move step ${number} down`} disabled={last} onTap={() => onMove(1)} />
        <Tool icon="delete" label={`Delete step ${number}`} onTap={onDelete} />
        <button type="button" class="button soft" onClick={() => onOpen(false)}>
          Done
        </button>
      </div>
    </li>
  );
}

interface ToolProps {
  icon: "up" | "down" | "delete";
  label: string;
  disabled?: boolean;
  onTap(): void;
}

function Tool({ icon, label, disabled = false, onTap }: ToolProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} disabled={disabled} onClick={onTap}>
      <Icon name={icon} size={20} />
    </button>
  );
}
