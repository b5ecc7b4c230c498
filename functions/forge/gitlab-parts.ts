// Checks, approvals and comments of a merge request on GitLab.
import * as z from "zod/mini";
import type { PullCheck, PullComment, PullReview } from "../../shared/forge.ts";
import type { ItemList } from "./forge.ts";
import { orElse, unseen } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { bounded, shortened } from "./forge-text.ts";

const PipelineJob = z.object({
  id: z.number(),
  name: z.string(),
  stage: z.optional(z.string()),
  status: z.string(),
  allow_failure: z.optional(z.boolean()),
  web_url: z.nullish(z.string()),
  failure_reason: z.nullish(z.string()),
});
/** A check of a commit: a job, or the report of another system. */
const GitlabStatus = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  allow_failure: z.optional(z.boolean()),
  target_url: z.nullish(z.string()),
  description: z.nullish(z.string()),
});
const GitlabNote = z.object({
  id: z.number(),
  body: z.string(),
  author: z.object({ username: z.string() }),
  created_at: z.string(),
  system: z.boolean(),
  resolvable: z.optional(z.boolean()),
  resolved: z.optional(z.boolean()),
  position: z.nullish(
    z.object({
      new_path: z.nullish(z.string()),
      old_path: z.nullish(z.string()),
      new_line: z.nullish(z.number()),
      old_line: z.nullish(z.number()),
    }),
  ),
});
const Discussion = z.object({ id: z.string(), notes: z.array(GitlabNote) });
const Approvals = z.object({
  approved_by: z.array(
    z.object({ user: z.object({ username: z.string() }), approved_at: z.optional(z.string()) }),
  ),
});

const none = { items: [], truncated: false };

/** `path`: of the project. */
export async function gitlabChecks(
  http: ForgeHttp,
  path: string,
  pipeline: number | undefined,
  sha: string | null,
): Promise<ItemList<PullCheck>> {
  const query = { per_page: 100 };
  const [jobs, statuses] = await Promise.all([
    pipeline === undefined ? none : http.list(PipelineJob, `${path}/pipelines/${pipeline}/jobs`, query),
    // Jobs of the commit's other pipelines and of other systems; some tokens cannot read them.
    sha === null
      ? none
      : orElse(
          http.list(GitlabStatus, `${path}/repository/commits/${sha}/statuses`, query),
          unseen,
          () => none,
        ),
  ]);
  const known = new Set(jobs.items.map(({ id }) => id));
  const others = statuses.items.filter(({ id }) => !known.has(id));
  return {
    items: [
      ...jobs.items.map((job): PullCheck => {
        const state = stateOf(job);
        const text = state === "failed" ? shortened(job.failure_reason?.replaceAll("_", " ")) : "";
        const name = job.stage ? `${job.stage} / ${job.name}` : job.name;
        const log = state !== "waiting" && state !== "skipped";
        return { id: `job-${job.id}`, name, state, text, url: job.web_url ?? null, log };
      }),
      ...others.map((one): PullCheck => {
        const { id, name, target_url: url, description } = one;
        return {
          id: `status-${id}`,
          name,
          state: stateOf(one),
          text: shortened(description),
          url: url || null,
          log: false,
        };
      }),
    ],
    truncated: jobs.truncated || statuses.truncated,
  };
}

/** https://docs.gitlab.com/ci/jobs/#available-job-statuses */
function stateOf({
  status,
  allow_failure: mayFail,
}: {
  status: string;
  allow_failure?: boolean | undefined;
}): PullCheck["state"] {
  if (status === "success") return "passed";
  if (status === "failed") return mayFail ? "skipped" : "failed";
  if (status === "canceled") return "failed";
  if (status === "skipped" || status === "manual") return "skipped";
  return status === "running" || status === "canceling" ? "running" : "waiting";
}

/** `path`: that of the merge request. GitLab reports only approvals. */
export async function gitlabApprovals(http: ForgeHttp, path: string): Promise<ItemList<PullReview>> {
  const { approved_by: all } = await http.json(Approvals, `${path}/approvals`);
  const items = all.map(({ user, approved_at: at = "" }) => {
    return { by: user.username, state: "approved" as const, text: "", at };
  });
  return { items, truncated: false };
}

export async function gitlabComments(http: ForgeHttp, path: string): Promise<ItemList<PullComment>> {
  const list = `${path}/discussions`;
  const { items, truncated } = await http.list(Discussion, list, { per_page: 100 });
  const comments = items.flatMap(({ id, notes }): PullComment[] => {
    const [first, ...answers] = notes.filter(({ system }) => !system);
    if (first === undefined) return [];
    const { position } = first;
    const file = position?.new_path ?? position?.old_path;
    const line = position?.new_line ?? position?.old_line;
    return [
      {
        id: String(first.id),
        thread: first.resolvable ? id : null,
        by: first.author.username,
        text: bounded(first.body),
        at: first.created_at,
        ...(file ? { path: file } : {}),
        ...(line ? { line } : {}),
        outdated: false,
        resolved: first.resolved ?? false,
        answers: answers.map(({ author, body }) => ({ by: author.username, text: bounded(body) })),
      },
    ];
  });
  return { items: comments, truncated };
}
