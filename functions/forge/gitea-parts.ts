// Checks, reviews, comments and logs of a pull request on Gitea.
import * as z from "zod/mini";
import type { CheckLog, PullCheck, PullComment, PullReview } from "../../shared/forge.ts";
import { CommentAnswer, loginOf, reviewShape, reviewsIn, saidComment, User } from "./alike.ts";
import type { ItemList } from "./forge.ts";
import { forgeRefusal, orElse } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { bounded, hunkEnd, shortened } from "./forge-text.ts";

const GiteaStatus = z.object({
  id: z.number(),
  context: z.string(),
  /** The field's name in lists; some versions call it `state`. */
  status: z.string(),
  description: z.nullish(z.string()),
  target_url: z.nullish(z.string()),
});
const GiteaReview = z.object({
  ...reviewShape,
  id: z.number(),
  comments_count: z.number(),
});
const GiteaLineComment = z.object({
  id: z.number(),
  user: User,
  body: z.string(),
  created_at: z.string(),
  path: z.string(),
  /**
   * The line in the new file; 0 if the comment is on a removed line, whose number is `original_position`:
   * https://github.com/go-gitea/gitea/blob/main/services/convert/pull_review.go
   */
  position: z.optional(z.number()),
  original_position: z.optional(z.number()),
  diff_hunk: z.optional(z.string()),
  resolver: z.nullish(User),
});
const GiteaRuns = z.object({
  workflow_runs: z.array(z.object({ id: z.number(), run_number: z.optional(z.number()) })),
});
const Jobs = z.object({ jobs: z.array(z.object({ id: z.number() })) });

/** How many of the newest reviews have their comments fetched: each costs a request. */
const mostReviews = 20;

/** A job of Gitea's own Actions, taken from the URL of its status. */
const actionsJob = /\/actions\/runs\/(\d+)\/jobs\/(\d+)\/?$/;

export async function giteaChecks(http: ForgeHttp, path: string, sha: string): Promise<ItemList<PullCheck>> {
  const Combined = z.object({ statuses: z.nullable(z.array(GiteaStatus)) });
  const list = `${path}/commits/${sha}/status`;
  const { items, truncated } = await http.all(Combined, list, { limit: 50 }, (one) => one.statuses ?? []);
  const checks = items.map(({ id, context, status, description, target_url: url }): PullCheck => {
    const [, run, job] = actionsJob.exec(url ?? "") ?? [];
    const state = stateOf(status);
    return {
      id: run === undefined ? `status-${id}` : `run-${run}-${job}`,
      name: context,
      state,
      text: shortened(description),
      url:
        url && URL.canParse(url, `https://${http.host}`) ? new URL(url, `https://${http.host}`).href : null,
      log: run !== undefined && (state === "failed" || state === "passed"),
    };
  });
  return { items: checks, truncated };
}

function stateOf(status: string): PullCheck["state"] {
  switch (status) {
    case "success":
      return "passed";
    case "failure":
    case "error":
      return "failed";
    case "warning":
    case "skipped":
      return "skipped";
    default:
      return "running";
  }
}

/** The URL has a run's number in the repository, and a job's index; the API needs their ids. */
export async function giteaLog(
  http: ForgeHttp,
  path: string,
  number: number,
  check: string,
): Promise<CheckLog> {
  const [, run, job] = /^run-(\d+)-(\d+)$/.exec(check) ?? [];
  if (run === undefined)
    throw forgeRefusal("unsupported", "This check has no log at the forge; open it there.");
  const { head } = await http.json(
    z.object({ head: z.object({ sha: z.string() }) }),
    `${path}/pulls/${number}`,
  );
  return orElse(logOf(http, path, head.sha, run, Number(job)), ["missing"], () => {
    throw forgeRefusal(
      "unsupported",
      `${http.host} gives no log of this check to programs; open it in its pages.`,
    );
  });
}

async function logOf(
  http: ForgeHttp,
  path: string,
  sha: string,
  run: string,
  job: number,
): Promise<CheckLog> {
  const query = { head_sha: sha, limit: 50 };
  const { workflow_runs: runs } = await http.json(GiteaRuns, `${path}/actions/runs`, { query });
  const id = (
    runs.find(({ run_number }) => run_number === Number(run)) ?? runs.find((one) => one.id === Number(run))
  )?.id;
  const { jobs } = await http.json(Jobs, `${path}/actions/runs/${id}/jobs`);
  return http.tail(`${path}/actions/jobs/${jobs[job]?.id}/logs`);
}

export async function giteaReviews(
  http: ForgeHttp,
  path: string,
  number: number,
): Promise<ItemList<PullReview>> {
  const { items, truncated } = await reviewsOf(http, path, number);
  return { items: reviewsIn(items), truncated };
}

export async function giteaComments(
  http: ForgeHttp,
  path: string,
  number: number,
): Promise<ItemList<PullComment>> {
  const [reviews, said] = await Promise.all([
    reviewsOf(http, path, number),
    http.json(z.array(CommentAnswer), `${path}/issues/${number}/comments`),
  ]);
  const withLines = reviews.items.filter(({ comments_count: count }) => count > 0);
  const lists = await Promise.all(
    withLines
      .slice(-mostReviews)
      .map(({ id }) =>
        http.json(z.array(GiteaLineComment), `${path}/pulls/${number}/reviews/${id}/comments`),
      ),
  );
  return {
    items: [...lists.flatMap(threadsIn), ...said.map(saidComment)],
    truncated: reviews.truncated || withLines.length > mostReviews,
  };
}

/** Within a review, later comments on a line are replies to the first one. Lines come in no particular order. */
function threadsIn(comments: readonly z.infer<typeof GiteaLineComment>[]): PullComment[] {
  const threads = new Map<string, PullComment>();
  for (const one of comments.toSorted((a, b) => a.id - b.id)) {
    const { path, position, original_position: old, diff_hunk: hunk } = one;
    const said = { by: loginOf(one.user), text: bounded(one.body) };
    const place = JSON.stringify([path, position, old]);
    const first = threads.get(place);
    const line = position || old;
    if (first) first.answers.push(said);
    else
      threads.set(place, {
        ...{ id: String(one.id), thread: String(one.id), ...said, at: one.created_at, path },
        ...(line ? { line } : {}),
        ...(hunk ? { lines: hunkEnd(hunk) } : {}),
        ...{ outdated: false, resolved: Boolean(one.resolver), answers: [] },
      });
  }
  return [...threads.values()];
}

/** The comment that is replied to, quoted and followed by an empty line; "" if it no longer exists. */
export async function giteaQuote(
  http: ForgeHttp,
  path: string,
  number: number,
  thread: string,
): Promise<string> {
  const { items } = await giteaComments(http, path, number);
  const about = items.find((one) => one.thread === thread);
  if (about === undefined) return "";
  const place = about.path === undefined ? "" : ` (${about.path}${about.line ? `, line ${about.line}` : ""})`;
  const quoted = [`${about.by}${place}:`, ...about.text.split("\n")].map((line) => `> ${line}\n`);
  return `${quoted.join("")}\n`;
}

function reviewsOf(http: ForgeHttp, path: string, number: number) {
  return http.list(GiteaReview, `${path}/pulls/${number}/reviews`, { limit: 50 });
}
