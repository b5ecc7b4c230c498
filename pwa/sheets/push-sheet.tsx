// Pushes a branch, after showing the remote, the commits and the files. A token that is typed here is used once and not
// stored.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Pushed, PushPreview } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import { type AtRemote, push, pushPreview } from "../app/delivery.ts";
import { newId } from "../browser/ids.ts";
import { openSheet } from "../browser/sheet.ts";
import "../styles/forge.css";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { TokenField } from "../components/token-field.tsx";
import { forgeOf, useForges, useForgeToken } from "../components/use-forge.ts";
import { delivered } from "../session/deliver.ts";
import { say } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { rebasePlan } from "../words/told-words.ts";

interface PushSheetProps {
  session: OpenSession;
  branch: string;
  onClose(): void;
}

export function PushSheet({ session, branch, onClose }: PushSheetProps) {
  const { sandboxId } = session.record.value;
  const seen = useSignal<PushPreview | null>(null);
  const token = useSignal("");
  const busy = useSignal(false);
  const done = useSignal<Pushed | null>(null);
  const problem = useSignal<{ words: string; behind: boolean } | null>(null);
  const key = useSignal(newId());
  /** Whether the shown remote is being asked; `failed` means that it gave no answer. */
  const asking = useSignal<"no" | "now" | "failed">("no");
  /** Without `at`, no request goes to the remote, because a command may have set it. */
  const look = async (at?: AtRemote) => {
    if (at) asking.value = "now";
    try {
      seen.value = await pushPreview(sandboxId, branch, at);
    } finally {
      if (at) asking.value = seen.value?.asked ? "no" : "failed";
    }
  };
  const failed = (error: unknown) => {
    const behind = error instanceof HandrailError && error.details?.reason === "behind";
    problem.value = { words: inWords(error).message, behind };
    // After a refusal, the next attempt is a new request with a new key.
    if (error instanceof HandrailError && !error.retryable) key.value = newId();
  };
  useEffect(() => void look().catch(failed), [sandboxId, branch]);
  const { remote, asked = true, commits = [], files = [], total } = seen.value ?? {};
  const known = useForges();
  const forge = remote && forgeOf(known, remote.host);
  // A kept token is for exactly that host: another port may belong to another server.
  const own = forge?.host === remote?.host ? forge : undefined;
  const kept = useForgeToken(own?.host);
  const opener = token.value.trim() || (kept ?? "");
  // The remote is asked without a tap only if this device or the server has a token for exactly that host.
  const trusted = kept === null ? false : kept || own?.signedIn;
  useEffect(() => {
    if (remote && !asked && trusted) void look({ token: kept ?? "", remote }).catch(failed);
  }, [trusted, asked]);
  const waits = busy.value || asking.value === "now" || (own !== undefined && kept === null);
  const work = async (what: () => Promise<unknown>) => {
    busy.value = true;
    problem.value = null;
    await what().catch(failed);
    busy.value = false;
  };
  const send = (fetch?: true) => {
    if (seen.value === null) throw new Error("The commits have not been loaded yet.");
    const { commit, remote: to, commits, total } = seen.value;
    const listed = {
      commit,
      shown: commits.map((each) => each.commit),
      // The server lists at most 200 commits; these are the others.
      more: commits.length < 200 ? 0 : total.commits - commits.length,
    };
    const body = { key: key.value, branch, host: to.host, ...(fetch ? { fetch } : listed) };
    return push(sandboxId, body, { token: opener, remote: to });
  };
  const sendIt = () =>
    work(async () => {
      const pushed = await send().catch(async (error: unknown) => {
        // The commits are no longer those that were listed. Ask the remote for the new list.
        if (remote && error instanceof HandrailError && error.code === "stale_file")
          await look({ token: opener, remote }).catch(() => undefined);
        throw error;
      });
      done.value = pushed;
      token.value = "";
      const words = `pushed ${pushed.commit.slice(0, 7)} to ${pushed.branch} on ${pushed.remote.host}.`;
      delivered(session, "push", words);
      void session.measureChanges();
    });
  const fetchIt = () =>
    work(async () => {
      const { commit } = await send(true);
      token.value = "";
      onClose();
      say(session, rebasePlan(branch, commit, seen.value?.remote.host));
    });
  const where = remote && `${remote.host}/${remote.owner === "" ? "" : `${remote.owner}/`}${remote.name}`;
  return (
    <Sheet
      title="Push"
      subtitle={where && `${branch} → ${where}`}
      onClose={onClose}
      bar={
        done.value === null ? (
          <ConfirmBar onCancel={onClose}>
            {problem.value?.behind ? (
              <button
                type="button"
                class="button go grow"
                disabled={busy.value || !session.writes.value}
                onClick={() => void fetchIt()}
              >
                Fetch, and plan a rebase
              </button>
            ) : (
              <button
                type="button"
                class="button go grow"
                disabled={waits || seen.value === null || !session.writes.value}
                onClick={() => void sendIt()}
              >
                {busy.value
                  ? "Pushing…"
                  : total === undefined
                    ? "Push"
                    : `Push ${plural(total.commits, "commit")}`}
              </button>
            )}
          </ConfirmBar>
        ) : (
          <div class="actions">
            <button type="button" class="button quiet" onClick={onClose}>
              Done
            </button>
            {forge ? (
              <button
                type="button"
                class="button go grow"
                onClick={() => openSheet({ kind: "pull-request" })}
              >
                Pull request…
              </button>
            ) : null}
          </div>
        )
      }
    >
      <div class="sheet-words">
        {seen.value === null && problem.value === null && <p class="muted">Looking at what is there…</p>}
        {done.value !== null && (
          <p role="status">
            Pushed <code>{done.value.commit.slice(0, 7)}</code> to <code>{oneLineOf(done.value.branch)}</code>{" "}
            on {where}.
          </p>
        )}
        {done.value === null && seen.value !== null && total !== undefined && (
          <>
            <p>
              {plural(total.commits, "commit")} to <code>{oneLineOf(seen.value.branch)}</code> on{" "}
              <b>{where}</b> · {plural(total.files, "file")} · +{total.added} −{total.removed}
            </p>
            <ul class="back-list" aria-label="Commits">
              {commits.map(({ commit, subject }) => (
                <li key={commit}>
                  <code>{commit.slice(0, 7)}</code> {oneLineOf(subject) || "(its text cannot be shown)"}
                </li>
              ))}
            </ul>
            {total.commits > commits.length && (
              <p class="muted">And {plural(total.commits - commits.length, "older commit")}.</p>
            )}
            <ul class="back-list" aria-label="Files">
              {files.map((file) => (
                <li key={file.path}>
                  <code>{oneLineOf(file.path)}</code>{" "}
                  <span class="muted">
                    +{file.added} −{file.removed}
                  </span>
                </li>
              ))}
            </ul>
            {total.files > files.length && (
              <p class="muted">And {plural(total.files - files.length, "more file")}.</p>
            )}
            {!asked && (
              <p class="muted" role="status">
                {asking.value === "now"
                  ? `Asking ${remote?.host} what it has…`
                  : `${knownInWords(remote?.host, asking.value, problem.value !== null)} Only what is listed here is sent.`}
              </p>
            )}
            {!asked && remote && !problem.value?.behind && (
              <button
                type="button"
                class="button soft"
                disabled={waits}
                onClick={() => void look({ token: opener, remote }).catch(failed)}
              >
                Ask {remote.host}
              </button>
            )}
            {!kept && own?.signedIn && (
              <p class="muted">The server has a token for {own.host}, which goes along.</p>
            )}
            {kept && <p class="muted">The token for {forge?.host} that this device keeps goes along.</p>}
            {own && !own.signedIn && token.value === "" && kept === "" && <TokenField forge={own} />}
            {!kept && (
              <label class="field">
                <span class="muted">
                  {own
                    ? "Or a token for this push alone"
                    : `Token for ${remote?.host}, with the right to write contents`}
                </span>
                <input
                  class="answer-text"
                  type="password"
                  autocomplete="off"
                  value={token.value}
                  onInput={(event) => (token.value = event.currentTarget.value)}
                />
              </label>
            )}
            {!kept && <p class="muted">It goes to git for this push alone and is kept nowhere.</p>}
          </>
        )}
        {problem.value !== null && (
          <p class="problem" role="alert" ref={intoSight}>
            {problem.value.words}
          </p>
        )}
      </div>
    </Sheet>
  );
}

/** The source of the list. After a refusal, it is unknown whether the remote was asked. */
function knownInWords(host = "The remote", asking: "no" | "failed", refused: boolean): string {
  if (asking === "failed")
    return `${host} could not be asked, so this list is what the repository last knew about it.`;
  return refused
    ? `This list is what the repository last knew about ${host}.`
    : `${host} has not been asked yet, so this list is what the repository last knew about it.`;
}

/** Scrolls to a refusal, which could be off the screen below the commits and files. */
function intoSight(element: Element | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
