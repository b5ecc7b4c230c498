// Suggestions for the mention that is being typed: files after an `@`, issues after a `#`.
import { useSignal } from "@preact/signals";
import type { ForgeIssue } from "../../shared/forge.ts";
import type { CommandHint } from "../session/commands.ts";
import { fittingPaths, type Mention, mentionAt } from "../session/mentions.ts";
import type { OpenSession } from "../session/open-session.ts";

/** As many as fit above the keyboard. */
const mostShown = 6;

export interface Mentions {
  mention: Mention | undefined;
  hints: readonly CommandHint[];
  /** The issues among the suggestions. */
  issues: readonly ForgeIssue[];
}

const nothing = { hints: [], issues: [] };

/** Call `look` whenever the text or the caret changes. */
export function useMentions(session: OpenSession) {
  const found = useSignal<Mentions>({ mention: undefined, ...nothing });
  const look = (text: string, caret: number) => {
    const { sandboxId } = session.record.value;
    const mention = sandboxId === "" ? undefined : mentionAt(text, caret);
    if (mention === undefined) {
      if (found.value.mention !== undefined) found.value = { mention, ...nothing };
      return;
    }
    const same = found.value.mention?.sign === mention.sign;
    found.value = { ...(same ? found.value : nothing), mention };
    // When the answer comes, the person may have typed more or left the mention; then it is ignored.
    void (mention.sign === "@" ? files : openIssues)(sandboxId, mention.query).then(
      (fits) => {
        if (found.value.mention === mention) found.value = { mention, ...fits };
      },
      () => undefined,
    );
  };
  return { found: found.value, look };
}

async function files(sandboxId: string, query: string): Promise<Omit<Mentions, "mention">> {
  const { workspacePaths } = await import("../app/workspace-paths.ts");
  return { hints: fittingPaths(await workspacePaths(sandboxId), query, mostShown).map(pathHint), issues: [] };
}

async function openIssues(sandboxId: string, query: string): Promise<Omit<Mentions, "mention">> {
  const { fittingIssues } = await import("../app/forge-issues.ts");
  const issues = await fittingIssues(sandboxId, query, mostShown);
  const hints = issues.map(({ number, title }) => ({
    insert: String(number),
    label: `#${number}`,
    meaning: title,
    group: "issues" as const,
  }));
  return { hints, issues };
}

/** A suggested file: its name, followed by its folder. */
function pathHint(path: string): CommandHint {
  const cut = path.lastIndexOf("/");
  return { insert: path, label: path.slice(cut + 1), meaning: path.slice(0, Math.max(0, cut)) };
}
