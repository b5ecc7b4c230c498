// A link to the bin below the list of sessions; absent if the bin is empty.
import { useEffect } from "preact/hooks";
import { bin, showBin } from "../app/session-actions.ts";
import { openSheet } from "../browser/sheet.ts";

export function BinLink() {
  useEffect(() => void showBin(), []);
  if (bin.value.length === 0) return null;
  return (
    <button type="button" class="text-button archived" onClick={() => openSheet({ kind: "bin" })}>
      Bin ({bin.value.length})
    </button>
  );
}
