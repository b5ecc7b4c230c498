// GitLab's REST API, version 4. A merge request's `iid` is its number. https://docs.gitlab.com/api/merge_requests/
import * as z from "zod/mini";
import type { ForgeIssue, ForgeRepository, PullRequest } from "../../shared/forge.ts";
import { branchAt } from "./branch-list.ts";
import type { Forge, FoundPull } from "./forge.ts";
import { forgeRefusal, orElse, saidIn } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { bounded, optionalText, shortened, titled } from "./forge-text.ts";
import { gitlabApprovals, gitlabChecks, gitlabComments } from "./gitlab-parts.ts";
import { partsOf } from "./parts.ts";

const MergeRequest = z.object({
  iid: z.number(),
  web_url: z.string(),
  /** `locked` while it is being merged. */
  state: z.enum(["opened", "closed", "locked", "merged"]),
  title: z.string(),
  draft: z.optional(z.boolean()),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.nullish(z.number()),
  target_project_id: z.optional(z.number()),
  /** null before GitLab has looked at a new one. */
  sha: z.nullable(z.string()),
  detailed_merge_status: z.optional(z.string()),
  user: z.optional(z.object({ can_merge: z.optional(z.boolean()) })),
  head_pipeline: z.nullish(z.object({ id: z.number() })),
});
type MergeRequest = z.infer<typeof MergeRequest>;

const Project = z.object({
  path_with_namespace: z.string(),
  http_url_to_repo: z.string(),
  visibility: z.optional(z.string()),
  description: z.nullish(z.string()),
  /** null while it is empty. */
  default_branch: z.nullish(z.string()),
});
const GitlabIssue = z.object({
  iid: z.number(),
  title: z.string(),
  web_url: z.string(),
  description: z.nullish(z.string()),
});
const GitlabBranch = z.object({ name: z.string() });

export function gitlabForge(http: ForgeHttp): Forge {
  const at = (repository: string) => `/projects/${encodeURIComponent(repository)}`;
  const request = (repository: string, number: number) =>
    http.json(MergeRequest, `${at(repository)}/merge_requests/${number}`);
  const branchPath = (repository: string, branch: string) =>
    `${at(repository)}/repository/branches/${encodeURIComponent(branch)}`;

  return {
    async user() {
      const { username: login } = await http.json(z.object({ username: z.string() }), "/user");
      return { login };
    },
    async defaultBranch(repository) {
      const { default_branch: branch } = await http.json(Project, at(repository));
      if (branch) return branch;
      throw forgeRefusal("nothing", "The repository at GitLab is empty: there is no branch to merge into.");
    },
    async find(repository, branch) {
      const query = {
        source_branch: branch,
        state: "all",
        order_by: "created_at",
        sort: "desc",
        per_page: 30,
      };
      const listed = await http.json(z.array(MergeRequest), `${at(repository)}/merge_requests`, { query });
      // Includes forks, whose branch names anybody can choose.
      const all = listed.filter((one) => one.source_project_id === one.target_project_id);
      const found = all.find(({ state }) => state === "opened" || state === "locked") ?? all[0];
      return found ? foundPull(found) : null;
    },
    byNumber: async (repository, number) => foundPull(await request(repository, number)),
    async open(repository, { title, body: description, branch, base, draft }) {
      const body = {
        title: draft ? `Draft: ${title}` : title,
        description,
        source_branch: branch,
        target_branch: base,
      };
      const path = `${at(repository)}/merge_requests`;
      try {
        return foundPull(await http.json(MergeRequest, path, { method: "POST", body }));
      } catch (error) {
        throw notOpened(error, branch, base);
      }
    },
    async look(repository, number) {
      const seen = await request(repository, number);
      const path = at(repository);
      const own = `${path}/merge_requests/${number}`;
      const checks = gitlabChecks(http, path, seen.head_pipeline?.id, seen.sha);
      const parts = await partsOf(checks, gitlabApprovals(http, own), gitlabComments(http, own));
      return {
        ...{ ...made(seen), ...parts },
        title: seen.title,
        draft: isDraft(seen),
        branch: seen.source_branch,
        base: seen.target_branch,
        head: seen.sha ?? "",
        merge: { why: whyNot(seen), methods: ["merge", "squash"] },
      } satisfies PullRequest;
    },
    async log(repository, _number, check) {
      const [, id] = /^job-(\d+)$/.exec(check) ?? [];
      if (id !== undefined) return http.tail(`${at(repository)}/jobs/${id}/trace`);
      throw forgeRefusal("unsupported", "This check has no log at GitLab; open it there.");
    },
    async merge(repository, number, head, method) {
      if (method === "rebase")
        throw forgeRefusal("unsupported", "GitLab's project decides that; take merge or squash.");
      const body = { sha: head, squash: method === "squash" };
      const path = `${at(repository)}/merge_requests/${number}/merge`;
      // https://docs.gitlab.com/api/merge_requests/#merge-a-merge-request: 401 means missing permissions there.
      await orElse(http.done(path, { method: "PUT", body }), ["token"], (error) => {
        throw forgeRefusal("rights", "GitLab does not let this token merge here.", saidIn(error), 401);
      });
    },
    branchHead: (repository, branch) => branchAt(http, branchPath(repository, branch)),
    deleteBranch: (repository, branch) => http.done(branchPath(repository, branch), { method: "DELETE" }),
    async resolve(repository, number, thread) {
      const path = `${at(repository)}/merge_requests/${number}/discussions/${encodeURIComponent(thread)}`;
      await http.done(path, { method: "PUT", body: { resolved: true } });
    },
    async answer(repository, number, text, thread) {
      const path = `${at(repository)}/merge_requests/${number}`;
      const to = thread === undefined ? path : `${path}/discussions/${encodeURIComponent(thread)}`;
      await http.done(`${to}/notes`, { method: "POST", body: { body: text } });
    },
    async change(repository, number, { title, body: description, ready }) {
      const seen = ready || title !== undefined ? await request(repository, number) : undefined;
      const named = seen && titled("Draft: ", title ?? seen.title, isDraft(seen) && !ready);
      const body = {
        ...(named !== undefined && { title: named }),
        ...(description !== undefined && { description }),
      };
      await http.done(`${at(repository)}/merge_requests/${number}`, { method: "PUT", body });
    },
    async repositories(text, page) {
      const query = { membership: true, order_by: "last_activity_at", per_page: 30, page };
      const asked = text === "" ? query : { ...query, search: text };
      return http.some(Project, "/projects", asked, repositoryOf);
    },
    async branches(repository, text, page) {
      const query = { per_page: 100, page, ...(text === "" ? {} : { search: text }) };
      return http.some(GitlabBranch, `${at(repository)}/repository/branches`, query, ({ name }) => name);
    },
    async issues(repository, text, page) {
      const query = { state: "opened", order_by: "updated_at", per_page: 30, page };
      const asked = text === "" ? query : { ...query, search: text };
      return http.some(GitlabIssue, `${at(repository)}/issues`, asked, issueOf);
    },
    issue: async (repository, number) =>
      issueOf(await http.json(GitlabIssue, `${at(repository)}/issues/${number}`)),
  };
}

/** 409 with "Another open merge request already exists for this source branch: !5". */
function notOpened(error: unknown, branch: string, base: string): unknown {
  const said = saidIn(error);
  if (/already exists/i.test(said))
    return forgeRefusal("exists", `There is a merge request of ${branch} already.`, said);
  if (/source.branch.*(?:does not exist|not exist|invalid)/i.test(said))
    return forgeRefusal("unpushed", `GitLab does not have the branch ${branch} yet: push it first.`, said);
  if (/target.branch.*(?:does not exist|not exist|invalid)/i.test(said))
    return forgeRefusal("other", `GitLab has no branch ${base} to merge into.`, said);
  return error;
}

function made({ iid: number, web_url: url, state }: MergeRequest) {
  return { number, url, state: state === "opened" || state === "locked" ? ("open" as const) : state };
}

function foundPull(request: MergeRequest): FoundPull {
  const { sha, source_branch: branch, source_project_id: from, target_project_id: to } = request;
  return { ...made(request), head: sha ?? "", branch, ownBranch: from === to };
}

function isDraft({ draft, title }: MergeRequest): boolean {
  return draft ?? /^(draft:|\[draft\]|\(draft\))/i.test(title);
}

/** https://docs.gitlab.com/api/merge_requests/#merge-status */
function whyNot(request: MergeRequest): string | null {
  const { state, target_branch: base } = request;
  if (state === "merged") return "It is merged.";
  if (state === "closed") return "It is closed.";
  if (state === "locked") return "";
  if (request.user?.can_merge === false) return "This token has no right to merge here.";
  const words: Record<string, string | null> = {
    mergeable: null,
    checking: "",
    unchecked: "",
    preparing: "",
    approvals_syncing: "",
    draft_status: "It is a draft.",
    conflict: `It conflicts with ${base}.`,
    need_rebase: `It has to be rebased onto ${base} first.`,
    not_approved: `${base} requires an approval.`,
    requested_changes: "A reviewer asks for changes.",
    discussions_not_resolved: "All threads have to be resolved first.",
    ci_must_pass: "Its pipeline has to pass first.",
    ci_still_running: "Its pipeline still runs.",
    status_checks_must_pass: "Status checks have to pass first.",
  };
  const status = request.detailed_merge_status ?? "mergeable";
  const why = words[status];
  return why === undefined ? `GitLab says: ${status.replaceAll("_", " ")}.` : why;
}

function repositoryOf(one: z.infer<typeof Project>): ForgeRepository {
  const { path_with_namespace: path, http_url_to_repo: url, visibility } = one;
  return {
    path,
    url,
    about: shortened(one.description),
    isPrivate: visibility !== undefined && visibility !== "public",
    defaultBranch: one.default_branch ?? "",
  };
}

function issueOf({ iid: number, title, web_url: url, description }: z.infer<typeof GitlabIssue>): ForgeIssue {
  return { number, title, url, text: bounded(optionalText(description)) };
}
