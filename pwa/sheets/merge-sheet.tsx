// Asks before a pull request is merged, and shows what is merged into which branch and how.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { MergeMethod, PullRequest } from "../../shared/forge.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { checksInWords, hasFailed } from "../words/forge-words.ts";

interface MergeSheetProps {
  pull: PullRequest;
  where: string;
  busy: boolean;
  problems: ComponentChildren;
  onMerge(method: MergeMethod): void;
  onClose(): void;
}

const methodWords: Readonly<Record<MergeMethod, [name: string, words: string]>> = {
  merge: ["Merge", "all its commits, and one that joins them"],
  squash: ["Squash", "one commit of all of it"],
  rebase: ["Rebase", "its commits, one after the other"],
};

export function MergeSheet({ pull, where, busy, problems, onMerge, onClose }: MergeSheetProps) {
  const { number, title, branch, base, head, checks, reviews } = pull;
  const methods = pull.merge.methods.length > 0 ? pull.merge.methods : (["merge"] as const);
  const method = useSignal<MergeMethod>(methods[0] ?? "merge");
  const isBroken = hasFailed(checks);
  const approved = reviews.filter(({ state }) => state === "approved").map(({ by }) => by);
  return (
    <Sheet
      title={`Merge #${number}`}
      subtitle={`${branch} → ${base} · ${where}`}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class={isBroken ? "button soft bad grow" : "button go grow"}
            disabled={busy}
            onClick={() => onMerge(method.value)}
          >
            {busy ? "Merging…" : oneLineOf(`Merge into ${base}${isBroken ? " anyway" : ""}`)}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <p>
          <b>{oneLineOf(title)}</b>
          <br />
          <code>{head.slice(0, 7)}</code> of <code>{oneLineOf(branch)}</code> goes into{" "}
          <code>{oneLineOf(base)}</code>. Commits that were pushed after you looked are not merged.
        </p>
        <p class={isBroken ? "problem" : "muted"}>
          {checksInWords(checks)} ·{" "}
          {approved.length === 0 ? "no approval" : oneLineOf(`approved by ${approved.join(", ")}`)}
        </p>
        {methods.length > 1 && (
          <div class="radios" role="radiogroup" aria-label="How">
            {methods.map((one) => (
              <label key={one} class="radio">
                <input
                  type="radio"
                  name="merge-method"
                  checked={method.value === one}
                  onChange={() => (method.value = one)}
                />
                <span>
                  {methodWords[one][0]}
                  <span class="muted">{methodWords[one][1]}</span>
                </span>
              </label>
            ))}
          </div>
        )}
        {problems}
      </div>
    </Sheet>
  );
}
