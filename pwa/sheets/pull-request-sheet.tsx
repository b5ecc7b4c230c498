// The session's pull request: asks for a token if there is none, drafts a pull request, and shows its state.
import "../styles/forge.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { GitState } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { PullRequest } from "../../shared/forge.ts";
import { inWords } from "../app/app-state.ts";
import { gitState } from "../app/delivery.ts";
import { pullRequest, takeAway } from "../app/forge.ts";
import { Sheet } from "../components/sheet.tsx";
import { TokenField } from "../components/token-field.tsx";
import { forgeOf, hasLogin, useForges, useForgeToken } from "../components/use-forge.ts";
import { notePull } from "../session/note-pull.ts";
import type { OpenSession } from "../session/open-session.ts";
import { PullRequestForm } from "./pull-request-form.tsx";
import { PullRequestState } from "./pull-request-state.tsx";

interface PullRequestSheetProps {
  session: OpenSession;
  /** Written by the agent; if absent, it is drafted from the plan and the commits. */
  drafted: { title?: string; text?: string };
  onClose(): void;
}

export function PullRequestSheet({ session, drafted, onClose }: PullRequestSheetProps) {
  const { sandboxId } = session.record.value;
  const git = useSignal<GitState | null>(null);
  const pull = useSignal<PullRequest | "none" | null>(null);
  const problem = useSignal<{ words: string; reason: unknown } | null>(null);
  const known = useForges();
  const host = git.value?.remote?.host;
  const forge = host === undefined ? undefined : forgeOf(known, host);
  const token = useForgeToken(forge?.host);
  const failed = (error: unknown) => {
    const reason = error instanceof HandrailError ? error.details?.reason : undefined;
    problem.value = { words: inWords(error).message, reason };
  };
  const seenRemote = git.value?.remote;
  const at = hasLogin(forge, token) && seenRemote ? { token: token ?? "", remote: seenRemote } : null;
  const look = async () => {
    problem.value = null;
    if (at === null) return;
    try {
      pull.value = await pullRequest(sandboxId, at);
      await notePull(session, pull.value);
    } catch (error) {
      if (error instanceof HandrailError && error.code === "not_found") pull.value = "none";
      else failed(error);
    }
  };
  useEffect(() => {
    gitState(sandboxId).then((state) => (git.value = state), failed);
  }, [sandboxId]);
  useEffect(() => void look(), [sandboxId, token, at !== null]);

  const { remote, branch } = git.value ?? {};
  const where = remote && `${remote.host}/${remote.owner}/${remote.name}`;
  const seen = pull.value;
  if (git.value && at && seen === "none")
    return (
      <PullRequestForm
        session={session}
        given={drafted}
        git={git.value}
        at={at}
        onMade={() => void look()}
        onClose={onClose}
      />
    );
  // A branch with newer commits may get another pull request.
  const opensAnother =
    seen !== null && seen !== "none" && seen.state !== "open" && git.value?.head !== seen.head;
  if (at && seen !== null && seen !== "none")
    return (
      <PullRequestState
        session={session}
        pull={seen}
        where={where ?? ""}
        at={at}
        onChanged={look}
        drafted={drafted}
        unpushed={git.value?.ahead ?? 0}
        {...(opensAnother && { onAnother: () => (pull.value = "none") })}
        onClose={onClose}
      />
    );
  return (
    <Sheet
      title="Pull request"
      subtitle={where ? `${branch ?? "no branch"} → ${where}` : undefined}
      onClose={onClose}
    >
      <div class="sheet-words">
        {git.value !== null && !remote && (
          <p>This repository has no remote on another machine, so there is nowhere to open one.</p>
        )}
        {remote && known.length > 0 && forge === undefined && (
          <p>
            {remote.host} is not a forge that this server knows. Its owner can name it in{" "}
            <code>HANDRAIL_FORGES</code>.
          </p>
        )}
        {forge && hasLogin(forge, token) === false && <TokenField forge={forge} />}
        {problem.value === null && (git.value === null || at) && (
          <p class="muted">Looking at what is there…</p>
        )}
        {problem.value !== null && (
          <>
            <p class="problem" role="alert">
              {problem.value.words}
            </p>
            {forge && (problem.value.reason === "token" || problem.value.reason === "missing") && (
              <button type="button" class="button soft" onClick={() => void takeAway(forge.host)}>
                Give another token
              </button>
            )}
            <button type="button" class="button soft" onClick={() => void look()}>
              Retry
            </button>
          </>
        )}
      </div>
    </Sheet>
  );
}
