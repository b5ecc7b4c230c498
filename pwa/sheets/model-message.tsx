// Asks the model to write a commit message from the plan and the ticked changes. The person can edit it like any other
// message.
import { useSignal } from "@preact/signals";
import { api, inWords, kv } from "../app/app-state.ts";
import { isIn, type LeftOut } from "../changes/chosen-files.ts";
import { Problem } from "../components/problem.tsx";
import type { DiffFile } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";
import { addCost } from "../session/spending.ts";

/** This much of the changes shows what a commit is about; the rest is left out. */
const maxChars = 40_000;
const signs = { same: " ", added: "+", removed: "-" } as const;

interface ModelMessageProps {
  session: OpenSession;
  files: readonly DiffFile[];
  left: LeftOut;
  /** The message that is drafted without the model. */
  plain: string;
}

export function ModelMessage({ session, files, left, plain }: ModelMessageProps) {
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const write = async () => {
    busy.value = true;
    problem.value = null;
    const { model } = session.record.value;
    const before = session.draft.value.commitMessage;
    const text = `${plain}\n\n${ticked(files, left)}`.slice(0, maxChars);
    try {
      const { text: commitMessage, cost = 0 } = await api.draft({
        ...{ kind: "commit", text },
        ...(model && { model }),
      });
      if (session.draft.value.commitMessage === before) session.setDraft({ commitMessage });
      else problem.value = `You wrote one meanwhile, which stays. The model's: ${commitMessage}`;
      if (cost > 0) await addCost(kv, Date.now(), cost);
    } catch (error) {
      problem.value = inWords(error).message;
    }
    busy.value = false;
  };
  return (
    <>
      <button type="button" class="text-button" disabled={busy.value} onClick={() => void write()}>
        {busy.value ? "The model is writing…" : "Let the model write it"}
      </button>
      <Problem words={problem.value} />
    </>
  );
}

/** The diff of the ticked changes, as the model reads it. */
function ticked(files: readonly DiffFile[], left: LeftOut): string {
  return files
    .flatMap((file) => {
      const { path, status, hunks } = file;
      const one = hunks.length < 2;
      const shown = hunks.filter((_, at) => isIn(left, file, one ? 0 : at + 1));
      if (one ? !isIn(left, file, 0) : shown.length === 0) return [];
      const lines = shown.flatMap((hunk) => hunk.lines.map(({ kind, text }) => `${signs[kind]}${text}`));
      return [`${path} (${status})`, ...lines, ""];
    })
    .join("\n");
}
