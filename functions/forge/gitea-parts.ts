// Checks, reviews, comments and logs of a pull request on Gitea.
import * as z from "zod/mini";
import type { CheckLog, PullCheck, PullComment, PullReview } from "../../shared/forge.ts";
import { reasonOf, refused } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { bounded, hunkEnd, optionalText, shortened } from "./forge-text.ts";
import { newestOfEach } from "./newest-reviews.ts";

const GiteaUser = z.nullable(z.object({ login: z.string() }));
const GiteaStatus = z.object({
  id: z.number(),
  context: z.string(),
  /** Called so in lists; `state` in some versions. */
  status: z.string(),
  description: z.nullish(z.string()),
  target_url: z.nullish(z.string()),
});
const GiteaReview = z.object({
  id: z.number(),
  user: GiteaUser,
  state: z.string(),
  body: z.nullish(z.string()),
  submitted_at: z.optional(z.string()),
  dismissed: z.optional(z.boolean()),
  comments_count: z.number(),
});
const GiteaLineComment = z.object({
  id: z.number(),
  user: GiteaUser,
  body: z.string(),
  created_at: z.string(),
  path: z.string(),
  position: z.optional(z.number()),
  original_position: z.optional(z.number()),
  diff_hunk: z.optional(z.string()),
  resolver: z.nullish(GiteaUser),
});
const GiteaComment = z.object({ id: z.number(), user: GiteaUser, body: z.string(), created_at: z.string() });
const GiteaRuns = z.object({
  workflow_runs: z.array(z.object({ id: z.number(), run_number: z.optional(z.number()) })),
});
const Jobs = z.object({ jobs: z.array(z.object({ id: z.number() })) });

/** Reviews whose comments are asked for, the newest: each costs a request. */
const mostReviews = 20;
const nobody = "ghost";

/** A job of Gitea's own Actions, as the address of its status names it. */
const actionsJob = /\/actions\/runs\/(\d+)\/jobs\/(\d+)\/?$/;

export async function giteaChecks(
  http: ForgeHttp,
  path: string,
  sha: string,
): Promise<{ checks: PullCheck[]; truncated: boolean }> {
  const Combined = z.object({ statuses: z.nullable(z.array(GiteaStatus)) });
  const list = `${path}/commits/${sha}/status`;
  const { items, isWhole } = await http.all(Combined, list, { limit: 50 }, ({ statuses }) => statuses ?? []);
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
  return { checks, truncated: !isWhole };
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

/** An address names a run by its number in the repository, and a job by its place; the API wants their ids. */
export async function giteaLog(
  http: ForgeHttp,
  path: string,
  number: number,
  check: string,
): Promise<CheckLog> {
  const [, run, job] = /^run-(\d+)-(\d+)$/.exec(check) ?? [];
  if (run === undefined) throw refused("unsupported", "This check has no log at the forge; open it there.");
  const { head } = await http.json(
    z.object({ head: z.object({ sha: z.string() }) }),
    `${path}/pulls/${number}`,
  );
  try {
    const query = { head_sha: head.sha, limit: 50 };
    const { workflow_runs: runs } = await http.json(GiteaRuns, `${path}/actions/runs`, { query });
    const id = (
      runs.find(({ run_number }) => run_number === Number(run)) ?? runs.find((one) => one.id === Number(run))
    )?.id;
    const { jobs } = await http.json(Jobs, `${path}/actions/runs/${id}/jobs`);
    return await http.tail(`${path}/actions/jobs/${jobs[Number(job)]?.id}/logs`);
  } catch (error) {
    if (reasonOf(error) !== "missing") throw error;
    throw refused(
      "unsupported",
      `${http.host} gives no log of this check to programs; open it in its pages.`,
    );
  }
}

export async function giteaReviews(
  http: ForgeHttp,
  path: string,
  number: number,
): Promise<{ reviews: PullReview[]; truncated: boolean }> {
  const { items, isWhole } = await reviewsOf(http, path, number);
  const states: Record<string, PullReview["state"]> = {
    APPROVED: "approved",
    REQUEST_CHANGES: "changes",
    COMMENT: "commented",
  };
  const reviews = items.flatMap(({ user, state, body, dismissed, submitted_at: at = "" }): PullReview[] => {
    const known = states[state];
    if (known === undefined || dismissed || (known === "commented" && !body)) return [];
    return [{ by: user?.login ?? nobody, state: known, text: bounded(optionalText(body)), at }];
  });
  return { reviews: newestOfEach(reviews), truncated: !isWhole };
}

export async function giteaComments(
  http: ForgeHttp,
  path: string,
  number: number,
): Promise<{ comments: PullComment[]; truncated: boolean }> {
  const [reviews, said] = await Promise.all([
    reviewsOf(http, path, number),
    http.json(z.array(GiteaComment), `${path}/issues/${number}/comments`),
  ]);
  const withLines = reviews.items.filter(({ comments_count: count }) => count > 0);
  const lists = await Promise.all(
    withLines
      .slice(-mostReviews)
      .map(({ id }) =>
        http.json(z.array(GiteaLineComment), `${path}/pulls/${number}/reviews/${id}/comments`),
      ),
  );
  const onLines = lists.flat().map((one): PullComment => {
    const line = one.position || one.original_position;
    return {
      id: String(one.id),
      thread: String(one.id),
      by: one.user?.login ?? nobody,
      text: bounded(one.body),
      at: one.created_at,
      path: one.path,
      ...(line ? { line } : {}),
      ...(one.diff_hunk ? { lines: hunkEnd(one.diff_hunk) } : {}),
      outdated: !one.position && Boolean(one.original_position),
      resolved: Boolean(one.resolver),
      answers: [],
    };
  });
  const others = said.map(
    ({ id, user, body, created_at: at }): PullComment => ({
      id: `issue-${id}`,
      thread: null,
      by: user?.login ?? nobody,
      text: bounded(body),
      at,
      outdated: false,
      resolved: false,
      answers: [],
    }),
  );
  return { comments: [...onLines, ...others], truncated: !reviews.isWhole || withLines.length > mostReviews };
}

/** What an answer is about, quoted; undefined where it is there no longer. */
export async function giteaQuote(
  http: ForgeHttp,
  path: string,
  number: number,
  thread: string,
): Promise<string | undefined> {
  const { comments } = await giteaComments(http, path, number);
  const about = comments.find((one) => one.thread === thread);
  if (about === undefined) return undefined;
  const place = about.path === undefined ? "" : ` (${about.path}${about.line ? `, line ${about.line}` : ""})`;
  return [`${about.by}${place}:`, ...about.text.split("\n")].map((line) => `> ${line}`).join("\n");
}

function reviewsOf(http: ForgeHttp, path: string, number: number) {
  return http.all(z.array(GiteaReview), `${path}/pulls/${number}/reviews`, { limit: 50 }, (value) => value);
}
