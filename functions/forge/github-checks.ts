// Checks of a commit on GitHub: check runs (or the jobs of Actions, if the token may not read check runs) and commit
// statuses.
import * as z from "zod/mini";
import type { CheckLog, PullCheck } from "../../shared/forge.ts";
import type { ItemList } from "./forge.ts";
import { forgeRefusal, orElse, unseen } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { shortened } from "./forge-text.ts";
import { shownTail } from "./log-tail.ts";

const progress = {
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.nullable(z.string()),
  html_url: z.nullish(z.string()),
};
const CheckRun = z.object({
  ...progress,
  app: z.nullish(z.object({ slug: z.optional(z.string()) })),
  output: z.object({
    title: z.nullish(z.string()),
    summary: z.nullish(z.string()),
    text: z.nullish(z.string()),
  }),
});
const ActionsJob = z.object(progress);
const CommitStatus = z.object({
  context: z.string(),
  state: z.enum(["success", "pending", "failure", "error"]),
  description: z.nullish(z.string()),
  target_url: z.nullish(z.string()),
});

/** How many runs of Actions for one commit have their jobs fetched: each costs a request. */
const mostRuns = 10;

/** `path`: `/repos/OWNER/NAME`. Throws with the reason `rights` if the token may not read checks of any kind. */
export async function githubChecks(http: ForgeHttp, path: string, sha: string): Promise<ItemList<PullCheck>> {
  const [runs, statuses] = await Promise.all([
    // Fine-grained tokens cannot be given access to checks: https://github.com/github/rest-api-description/issues/4290
    orElse(checkRuns(http, path, sha), unseen, () => jobs(http, path, sha)),
    orElse(commitStatuses(http, path, sha), unseen, () => ({ items: [], truncated: false })),
  ]);
  return { items: [...runs.items, ...statuses.items], truncated: runs.truncated || statuses.truncated };
}

async function checkRuns(http: ForgeHttp, path: string, sha: string) {
  const Runs = z.object({ check_runs: z.array(CheckRun) });
  const { items, truncated } = await http.all(
    Runs,
    `${path}/commits/${sha}/check-runs`,
    { per_page: 100, filter: "latest" },
    ({ check_runs }) => check_runs,
  );
  const checks = items.map((run) => {
    const log = run.app?.slug === "github-actions" || Boolean(run.output.summary || run.output.text);
    return { ...checkOf(`run-${run.id}`, run.name, run), text: shortened(run.output.title), log };
  });
  return { items: checks, truncated };
}

async function jobs(http: ForgeHttp, path: string, sha: string) {
  const Run = z.object({ id: z.number(), name: z.nullish(z.string()) });
  const { workflow_runs: runs } = await http.json(
    z.object({ workflow_runs: z.array(Run) }),
    `${path}/actions/runs`,
    { query: { head_sha: sha, per_page: 100 } },
  );
  const Jobs = z.object({ jobs: z.array(ActionsJob) });
  const lists = await Promise.all(
    runs.slice(0, mostRuns).map(async ({ id, name }) => {
      const query = { per_page: 100, filter: "latest" };
      const { items, truncated } = await http.all(
        Jobs,
        `${path}/actions/runs/${id}/jobs`,
        query,
        (value) => value.jobs,
      );
      const checks = items.map((job) =>
        checkOf(`job-${job.id}`, name ? `${name} / ${job.name}` : job.name, job),
      );
      return { checks, truncated };
    }),
  );
  const truncated = runs.length > mostRuns || lists.some((one) => one.truncated);
  return { items: lists.flatMap(({ checks }) => checks), truncated };
}

async function commitStatuses(http: ForgeHttp, path: string, sha: string) {
  const Combined = z.object({ statuses: z.array(CommitStatus) });
  const { items, truncated } = await http.all(
    Combined,
    `${path}/commits/${sha}/status`,
    { per_page: 100 },
    ({ statuses }) => statuses,
  );
  const states = { success: "passed", pending: "running", failure: "failed", error: "failed" } as const;
  const checks = items.map(
    ({ context, state, description, target_url }): PullCheck => ({
      id: `status-${context}`,
      name: context,
      state: states[state],
      text: shortened(description),
      url: target_url || null,
      log: false,
    }),
  );
  return { items: checks, truncated };
}

/** Statuses and conclusions: https://docs.github.com/rest/checks/runs */
function checkOf(id: string, name: string, one: z.infer<typeof ActionsJob>): PullCheck {
  const { status, conclusion, html_url } = one;
  const state = status === "completed" ? ended(conclusion) : status === "in_progress" ? "running" : "waiting";
  return { id, name, state, text: "", url: html_url ?? null, log: state === "passed" || state === "failed" };
}

function ended(conclusion: string | null): PullCheck["state"] {
  if (conclusion === "success") return "passed";
  return conclusion === "neutral" || conclusion === "skipped" || conclusion === "stale"
    ? "skipped"
    : "failed";
}

/** A check run of Actions has the same id as its job. The output of other apps is in the check run itself. */
export async function githubLog(http: ForgeHttp, path: string, check: string): Promise<CheckLog> {
  const [, kind, id] = /^(run|job)-(\d+)$/.exec(check) ?? [];
  if (id === undefined) throw forgeRefusal("unsupported", "This check has no log at GitHub; open it there.");
  return orElse(http.tail(`${path}/actions/jobs/${id}/logs`), kind === "job" ? [] : ["missing"], () =>
    outputOf(http, `${path}/check-runs/${id}`),
  );
}

async function outputOf(http: ForgeHttp, path: string): Promise<CheckLog> {
  const { output } = await http.json(CheckRun, path);
  const parts = [output.title, output.summary, output.text].filter(Boolean);
  if (parts.length > 0) return shownTail(parts.join("\n\n"), false);
  throw forgeRefusal("missing", "GitHub no longer has this check's log, or this token may not read it.");
}
