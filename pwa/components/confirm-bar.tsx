// The bar of a sheet that asks before it does something: the way out, and what it is asked for.
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
