// Says that a new version waits. Reloading is the person's to choose, and drafts are stored before it.
import { takeUpdate, updateReady } from "../app/app-update.ts";

export function UpdateNotice() {
  if (!updateReady.value) return null;
  return (
    <p class="notice" role="status">
      <span>A new version is ready. What you typed stays.</span>
      <button type="button" class="text-button" onClick={() => void takeUpdate()}>
        Reload
      </button>
    </p>
  );
}
