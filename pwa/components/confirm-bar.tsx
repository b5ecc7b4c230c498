// The buttons of a sheet that asks for confirmation: Cancel, and the action.
import type { ComponentChildren } from "preact";

export function ConfirmBar({ onCancel, children }: { onCancel(): void; children: ComponentChildren }) {
  return (
    <div class="actions">
      <button type="button" class="button quiet" onClick={onCancel}>
        Cancel
      </button>
      {children}
    </div>
  );
}
