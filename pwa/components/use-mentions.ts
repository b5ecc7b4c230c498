// The files that fit what is being written after an `@`, as hints of the composer.
import { useSignal } from "@preact/signals";
import { fittingPaths, type Mention, mentionAt } from "../session/mentions.ts";
import type { OpenSession } from "../session/open-session.ts";

/** As many as fit above a keyboard. */
const mostShown = 6;

export interface Mentions {
  mention: Mention | undefined;
  paths: readonly string[];
}

/** `look` is to be called whenever the text or the caret changes. */
export function useMentions(session: OpenSession) {
  const found = useSignal<Mentions>({ mention: undefined, paths: [] });
  const look = (text: string, caret: number) => {
    const mention = session.record.value.sandboxId === "" ? undefined : mentionAt(text, caret);
    if (mention === undefined) {
      if (found.value.mention !== undefined) found.value = { mention, paths: [] };
      return;
    }
    found.value = { ...found.value, mention };
    void import("../app/workspace-paths.ts").then(
      async ({ workspacePaths }) => {
        const paths = await workspacePaths(session.record.value.sandboxId);
        // Meanwhile more was written, or the mention was left.
        if (found.value.mention === mention)
          found.value = { mention, paths: fittingPaths(paths, mention.query, mostShown) };
      },
      () => undefined,
    );
  };
  return { found: found.value, look };
}
