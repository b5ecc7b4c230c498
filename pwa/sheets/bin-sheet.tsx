// The bin: sessions deleted in the last 30 days, to restore or to delete for good.
import "../styles/sheets.css";
import { useSignal } from "@preact/signals";
import { bin, deleteForGood, restore } from "../app/session-actions.ts";
import { closeSheet } from "../browser/sheet.ts";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { binDays, binnedInWords } from "../words/bin-words.ts";

export function BinSheet() {
  /** What a second tap deletes for good: one session or all; null before the first tap. */
  const sure = useSignal<string | null>(null);
  const all = bin.value.map(({ id }) => id);
  const remove = (key: string, ids: readonly string[]) => {
    if (sure.value === key) void deleteForGood(ids);
    sure.value = sure.value === key ? null : key;
  };
  return (
    <Sheet
      title="Bin"
      subtitle={`Deleted sessions are kept here for ${binDays} days`}
      onClose={closeSheet}
      bar={
        all.length === 0 ? undefined : (
          <div class="actions">
            <button type="button" class="button soft bad grow" onClick={() => remove("all", all)}>
              {sure.value === "all" ? "Tap again: all of it goes for good" : "Empty the bin"}
            </button>
          </div>
        )
      }
    >
      {all.length === 0 && <p class="muted">It is empty.</p>}
      <ul class="session-list">
        {bin.value.map((record) => (
          <li key={record.id} class="binned">
            <span class="session-words">
              <span class="session-title">{oneLineOf(record.title)}</span>
              <span class="session-state">
                {oneLineOf(record.workspace)} · {binnedInWords(record.deletedAt ?? 0, Date.now())}
              </span>
            </span>
            <span class="notice-actions">
              <button
                type="button"
                class="text-button bad"
                aria-label={`${sure.value === record.id ? "Tap again to delete" : "Delete"} for good: ${record.title}`}
                onClick={() => remove(record.id, [record.id])}
              >
                {sure.value === record.id ? "Tap again to delete" : "Delete"}
              </button>
              <button
                type="button"
                class="text-button"
                aria-label={`Restore: ${record.title}`}
                onClick={() => void restore(record.id)}
              >
                Restore
              </button>
            </span>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
