// The state of a pull request: checks, reviews and comments, what to do about them, and the merge.
import { useSignal } from "@preact/signals";
import type { MergeMethod, PullCheck, PullComment, PullRequest } from "../../shared/forge.ts";
import { inWords } from "../app/app-state.ts";
import type { AtRemote } from "../app/delivery.ts";
import {
  answerComment,
  changePull,
  checkLog,
  deletePullBranch,
  mergePull,
  resolveThread,
} from "../app/forge.ts";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { waitingDelivery } from "../session/deliver.ts";
import { tell } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { fixCheck, fixComment } from "../words/fix-message.ts";
import { checkInWords, checksInWords, hasFailed, linkedHost, pullInWords } from "../words/forge-words.ts";
import { AskedPull } from "./asked-pull.tsx";
import { MergeSheet } from "./merge-sheet.tsx";
import { PullComments } from "./pull-comments.tsx";

interface PullRequestStateProps {
  session: OpenSession;
  pull: PullRequest;
  /** HOST/OWNER/NAME. */
  where: string;
  at: AtRemote;
  /** Written by the agent, if it asked for the pull request. */
  drafted: { title?: string; text?: string };
  /** Commits of the branch that are not at the forge yet. */
  unpushed: number;
  onChanged(): Promise<void>;
  /** Absent if there are no newer commits for another pull request. */
  onAnother?(): void;
  onClose(): void;
}

export function PullRequestState(props: PullRequestStateProps) {
  const { session, pull, where, at, onChanged, onAnother, onClose } = props;
  const { sandboxId } = session.record.value;
  const { number, title, state, merge, checks, reviews, comments, branch, base } = pull;
  const merging = useSignal(false);
  const busy = useSignal("");
  const problem = useSignal<string | null>(null);
  const deleted = useSignal(false);
  const may = session.writes.value && busy.value === "";
  const isBroken = state === "open" && hasFailed(checks);
  const run = async (what: string, work: () => Promise<unknown>) => {
    busy.value = what;
    problem.value = null;
    try {
      await work();
    } catch (error) {
      problem.value = inWords(error).message;
    }
    busy.value = "";
    return problem.value === null;
  };
  const fixFailed = (check: PullCheck) =>
    run(`fix ${check.id}`, async () => {
      const log = check.log ? await checkLog(sandboxId, number, check.id, at).catch(() => null) : null;
      tell(session, fixCheck(number, check, log), {});
      onClose();
    });
  const fixOne = (comment: PullComment) => {
    tell(session, fixComment(number, comment), {});
    onClose();
  };
  const resolve = ({ thread }: PullComment) =>
    run(`resolve ${thread}`, async () => {
      if (thread !== null) await resolveThread(sandboxId, number, thread, at);
      await onChanged();
    });
  const answer = (one: PullComment, text: string, andResolve: boolean) =>
    run(`answer ${one.id}`, async () => {
      const { thread } = one;
      const where = thread === null ? {} : { thread, resolve: andResolve };
      await answerComment(sandboxId, { number, text, ...where }, at);
      await onChanged();
    });
  const makeReady = () =>
    run("ready", async () => {
      await changePull(sandboxId, { number, ready: true }, at);
      await onChanged();
    });
  const mergeNow = (method: MergeMethod) =>
    run("merge", async () => {
      await mergePull(sandboxId, { number, head: pull.head, method }, at);
      merging.value = false;
      await onChanged();
    });
  const deleteNow = () =>
    run("delete", async () => {
      await deletePullBranch(sandboxId, number, at);
      deleted.value = true;
    });
  const problems = problem.value !== null && (
    <p class="problem" role="alert">
      {problem.value}
    </p>
  );
  if (merging.value)
    return (
      <MergeSheet
        pull={pull}
        where={where}
        busy={busy.value === "merge"}
        problems={problems}
        onMerge={(method) => void mergeNow(method)}
        onClose={() => (merging.value = false)}
      />
    );
  return (
    <Sheet
      title={`#${number} · ${pullInWords(pull)}`}
      subtitle={`${branch} → ${base} · ${where}`}
      onClose={onClose}
      bar={
        <div class="actions">
          {isBroken && <p class="bar-words whole">Checks: {checksInWords(checks)}.</p>}
          <button
            type="button"
            class="button quiet"
            disabled={busy.value !== ""}
            onClick={() => void run("look", onChanged)}
          >
            {busy.value === "look" ? "Refreshing…" : "Refresh"}
          </button>
          {state === "open" && pull.draft && (
            <button type="button" class="button soft" disabled={!may} onClick={() => void makeReady()}>
              {busy.value === "ready" ? "Marking…" : "Mark as ready"}
            </button>
          )}
          {state === "open" && (
            <button
              type="button"
              class={isBroken ? "button soft bad grow" : "button go grow"}
              disabled={!may || merge.why !== null}
              onClick={() => (merging.value = true)}
            >
              {isBroken ? "Merge anyway…" : "Merge…"}
            </button>
          )}
          {onAnother && (
            <button type="button" class="button soft" onClick={onAnother}>
              New one…
            </button>
          )}
          {state !== "open" && !deleted.value && (
            <button type="button" class="button soft grow" disabled={!may} onClick={() => void deleteNow()}>
              {busy.value === "delete" ? "Deleting…" : "Delete its branch"}
            </button>
          )}
        </div>
      }
    >
      <div class="sheet-words pull-request">
        {state === "open" && waitingDelivery(session, "pull_request") && (
          <AskedPull
            {...{ session, pull, at, may, onChanged, run }}
            drafted={props.drafted}
            unpushed={props.unpushed}
          />
        )}
        <p>
          <b>{oneLineOf(title)}</b>
          <br />
          {linkedHost(pull.url) !== undefined && (
            <a href={pull.url} target="_blank" rel="noopener noreferrer">
              Open it at {linkedHost(pull.url)}
            </a>
          )}
        </p>
        {state === "open" && merge.why !== null && (
          <p class="muted">
            {merge.why === "" ? "The forge is still checking whether it can be merged." : merge.why}
          </p>
        )}
        {deleted.value && <p role="status">The branch {oneLineOf(branch)} is deleted there.</p>}
        {problems}
        <h3>{checks.length === 0 ? "Checks" : `Checks: ${checksInWords(checks)}`}</h3>
        {checks.length === 0 && <p class="muted">{nothing(pull, "checks")}</p>}
        <ul class="pull-list" aria-label="Checks">
          {checks.map((check) => (
            <li key={check.id} class={`pull-check ${check.state}`}>
              <span>
                <b>{oneLineOf(check.name)}</b> <span class="muted">{checkInWords(check)}</span>
                {check.text !== "" && <span class="muted"> · {check.text}</span>}
              </span>
              {check.state === "failed" && state === "open" && (
                <button
                  type="button"
                  class="button soft"
                  disabled={!may}
                  aria-label={`Fix ${check.name}`}
                  onClick={() => void fixFailed(check)}
                >
                  {busy.value === `fix ${check.id}` ? "Reading its log…" : "Fix this"}
                </button>
              )}
            </li>
          ))}
        </ul>
        <h3>Reviews</h3>
        {reviews.length === 0 && <p class="muted">{nothing(pull, "reviews")}</p>}
        <ul class="pull-list" aria-label="Reviews">
          {reviews.map(({ by, state: said, text }) => (
            <li key={by}>
              <span>
                <b>{oneLineOf(by)}</b> <span class="muted">{reviewWords[said]}</span>
                {text !== "" && <span class="pull-text">{text}</span>}
              </span>
            </li>
          ))}
        </ul>
        <h3>Comments</h3>
        {comments.length === 0 && <p class="muted">{nothing(pull, "comments")}</p>}
        <PullComments
          comments={comments}
          may={may}
          open={state === "open"}
          onFix={fixOne}
          onResolve={(one) => void resolve(one)}
          onAnswer={answer}
        />
        {pull.truncated && <p class="muted">There is more than is shown here.</p>}
      </div>
    </Sheet>
  );
}

const reviewWords = { approved: "approved", changes: "requested changes", commented: "commented" };

function nothing({ missing }: PullRequest, what: PullRequest["missing"][number]): string {
  return missing.includes(what) ? `This token may not read ${what}.` : "None yet.";
}
