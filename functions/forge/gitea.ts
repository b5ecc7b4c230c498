// Gitea's API, version 1, which Forgejo (Codeberg) has as well. https://docs.gitea.com/api
import * as z from "zod/mini";
import type { PullRequest } from "../../shared/forge.ts";
import { IssueAnswer, issueOf, made, pullShape, repositoryOf, repositoryShape } from "./alike.ts";
import { branchAt, branchesOf } from "./branch-list.ts";
import type { Forge, FoundPull } from "./forge.ts";
import { forgeRefusal, orElse, reasonOf, saidIn } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { pathInUrl, titled } from "./forge-text.ts";
import { giteaChecks, giteaComments, giteaLog, giteaQuote, giteaReviews } from "./gitea-parts.ts";
import { methodsOf, partsOf } from "./parts.ts";

const GiteaPull = z.object({
  ...pullShape,
  mergeable: z.optional(z.boolean()),
  /** If the branch was deleted, `ref` is `refs/pull/5/head` and `label` is the branch's name. */
  head: z.object({
    label: z.optional(z.string()),
    ref: z.string(),
    sha: z.string(),
    repo_id: z.optional(z.number()),
  }),
  base: z.object({ ref: z.string(), repo_id: z.optional(z.number()) }),
});
type GiteaPull = z.infer<typeof GiteaPull>;

const GiteaRepository = z.object({
  ...repositoryShape,
  updated_at: z.optional(z.string()),
  allow_merge_commits: z.optional(z.boolean()),
  allow_rebase: z.optional(z.boolean()),
});
type GiteaRepository = z.infer<typeof GiteaRepository>;

/** How an older server answers a route that it does not know. */
const unknown = ["missing", "protected"] as const;
/** The largest page that a server gives, unless its owner raised the limit. */
const perPage = 50;

export function giteaForge(http: ForgeHttp): Forge {
  const at = (repository: string) => `/repos/${pathInUrl(repository)}`;
  const pull = (repository: string, number: number) =>
    http.json(GiteaPull, `${at(repository)}/pulls/${number}`);
  const ofBranch = (branch: string) => (one: GiteaPull) => branchOf(one) === branch && isOwn(one);
  const branchPath = (repository: string, branch: string) =>
    `${at(repository)}/branches/${pathInUrl(branch)}`;

  return {
    user: () => http.json(z.object({ login: z.string() }), "/user"),
    defaultBranch: async (repository) => (await http.json(GiteaRepository, at(repository))).default_branch,
    // The API cannot filter by branch, so the newest pages are searched, open pull requests first.
    async find(repository, branch) {
      const path = `${at(repository)}/pulls`;
      for (const state of ["open", "closed"]) {
        const query = { state, sort: "recentupdate", limit: perPage };
        const { items } = await http.list(GiteaPull, path, query, ofBranch(branch));
        const found = items.find(ofBranch(branch));
        if (found) return foundPull(found);
      }
      return null;
    },
    byNumber: async (repository, number) => foundPull(await pull(repository, number)),
    async open(repository, { title, body, branch: head, base, draft }) {
      const asked = { title: draft ? `WIP: ${title}` : title, body, head, base };
      try {
        return foundPull(
          await http.json(GiteaPull, `${at(repository)}/pulls`, { method: "POST", body: asked }),
        );
      } catch (error) {
        throw notOpened(error, head, base);
      }
    },
    async look(repository, number) {
      const seen = await pull(repository, number);
      const path = at(repository);
      const [about, parts] = await Promise.all([
        http.json(GiteaRepository, path),
        partsOf(
          giteaChecks(http, path, seen.head.sha),
          giteaReviews(http, path, number),
          giteaComments(http, path, number),
        ),
      ]);
      return {
        ...{ ...made(seen), ...parts },
        title: seen.title,
        draft: isDraft(seen),
        branch: branchOf(seen),
        base: seen.base.ref,
        head: seen.head.sha,
        merge: {
          why: whyNot(seen, about),
          methods: methodsOf(about.allow_merge_commits, about.allow_squash_merge, about.allow_rebase),
        },
      } satisfies PullRequest;
    },
    log: (repository, number, check) => giteaLog(http, at(repository), number, check),
    async merge(repository, number, head, method) {
      // With its own name for the field: https://docs.gitea.com/api, MergePullRequestOption
      const body = { Do: method, head_commit_id: head };
      await http.done(`${at(repository)}/pulls/${number}/merge`, { method: "POST", body });
    },
    branchHead: (repository, branch) => branchAt(http, branchPath(repository, branch)),
    deleteBranch: (repository, branch) => http.done(branchPath(repository, branch), { method: "DELETE" }),
    async resolve(repository, _number, thread) {
      const path = `${at(repository)}/pulls/comments/${encodeURIComponent(thread)}/resolve`;
      // Only since https://github.com/go-gitea/gitea/pull/36441.
      await orElse(http.done(path, { method: "POST" }), unknown, () => {
        throw forgeRefusal(
          "unsupported",
          `${http.host} is too old to resolve comments from outside; do it in its pages.`,
        );
      });
    },
    async answer(repository, number, text, thread) {
      const path = at(repository);
      const say = (to: string, body: string) =>
        http.done(`${path}/${to}`, { method: "POST", body: { body } });
      const whole = `issues/${number}/comments`;
      if (thread === undefined) return say(whole, text);
      // Since Gitea 1.27 (https://github.com/go-gitea/gitea/pull/36683); older servers get a quote of the comment instead.
      const under = `pulls/${number}/comments/${encodeURIComponent(thread)}/replies`;
      await orElse(say(under, text), unknown, async () =>
        say(whole, `${await giteaQuote(http, path, number, thread)}${text}`),
      );
    },
    async change(repository, number, { title, body, ready }) {
      const seen = ready || title !== undefined ? await pull(repository, number) : undefined;
      const named = seen && titled("WIP: ", title ?? seen.title, isDraft(seen) && !ready);
      const change = { ...(named !== undefined && { title: named }), ...(body !== undefined && { body }) };
      await http.done(`${at(repository)}/pulls/${number}`, { method: "PATCH", body: change });
    },
    async repositories(text, page) {
      const query = { limit: perPage, page };
      if (text !== "") {
        const Found = z.object({ data: z.array(GiteaRepository) });
        const asked = { ...query, q: text, sort: "updated", order: "desc" };
        const { value, next } = await http.page(Found, "/repos/search", asked);
        return { items: value.data.map(repositoryOf), next };
      }
      const { value, next } = await http.page(z.array(GiteaRepository), "/user/repos", query);
      const newest = value.toSorted((a, b) => (b.updated_at ?? "").localeCompare(a.updated_at ?? ""));
      return { items: newest.map(repositoryOf), next };
    },
    async branches(repository, text, page) {
      const query = { limit: perPage };
      return branchesOf(http, `${at(repository)}/branches`, query, text, page);
    },
    async issues(repository, text, page) {
      const query = { state: "open", type: "issues", limit: 30, page, ...(text === "" ? {} : { q: text }) };
      return http.some(IssueAnswer, `${at(repository)}/issues`, query, issueOf);
    },
    issue: async (repository, number) =>
      issueOf(await http.json(IssueAnswer, `${at(repository)}/issues/${number}`)),
  };
}

/**
 * 409 "pull request already exists for these targets", 404 if a branch is missing, 422 if there is nothing to merge.
 */
function notOpened(error: unknown, branch: string, base: string): unknown {
  const said = saidIn(error);
  if (/already exists/i.test(said))
    return forgeRefusal("exists", `There is a pull request of ${branch} already.`, said);
  if (/no changes|nothing to (?:merge|compare)/i.test(said))
    return forgeRefusal("nothing", `${branch} has no commits that ${base} does not have.`, said);
  if (reasonOf(error) === "missing" && /\bhead\b|branch/i.test(said))
    return forgeRefusal(
      "unpushed",
      `The forge does not have ${branch}, or not ${base}: push it first.`,
      said,
    );
  return error;
}

function foundPull(pull: GiteaPull): FoundPull {
  return { ...made(pull), head: pull.head.sha, branch: branchOf(pull), ownBranch: isOwn(pull) };
}

function isOwn({ head, base }: GiteaPull): boolean {
  return head.repo_id === base.repo_id;
}

function branchOf({ head }: GiteaPull): string {
  return head.ref.startsWith("refs/pull/") ? (head.label ?? head.ref) : head.ref;
}

function isDraft({ draft, title }: GiteaPull): boolean {
  return draft ?? /^(wip:|\[wip\])/i.test(title);
}

function whyNot(pull: GiteaPull, about: GiteaRepository): string | null {
  if (pull.merged) return "It is merged.";
  if (pull.state === "closed") return "It is closed.";
  if (isDraft(pull)) return "It is a draft.";
  if (about.permissions?.push === false) return "This token has no right to merge here.";
  return pull.mergeable === false ? `It conflicts with ${pull.base.ref}, or is still being looked at.` : null;
}
