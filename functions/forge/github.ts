// GitHub's REST API, and its GraphQL API for review threads, which REST does not have. https://docs.github.com/rest
// (2022-11-28)
import * as z from "zod/mini";
import type { CheckLog, PullRequest } from "../../shared/forge.ts";
import { IssueAnswer, issueOf, made, pullShape, repositoryOf, repositoryShape } from "./alike.ts";
import { branchesOf } from "./branch-list.ts";
import type { Forge, FoundPull, NewPull } from "./forge.ts";
import { forgeRefusal, orElse, saidIn } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { pathInUrl } from "./forge-text.ts";
import { githubChecks, githubLog } from "./github-checks.ts";
import { githubComments, githubReady, githubReply, githubResolve, githubReviews } from "./github-reviews.ts";
import { methodsOf, partsOf } from "./parts.ts";

const GithubPull = z.object({
  ...pullShape,
  mergeable_state: z.optional(z.string()),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.nullable(z.object({ full_name: z.string() })) }),
  base: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }) }),
});
type GithubPull = z.infer<typeof GithubPull>;

const GithubRepository = z.object({
  ...repositoryShape,
  allow_merge_commit: z.optional(z.boolean()),
  allow_rebase_merge: z.optional(z.boolean()),
});
type GithubRepository = z.infer<typeof GithubRepository>;

/** `graphql`: the URL of GitHub's GraphQL API. */
export function githubForge(http: ForgeHttp, graphql: string): Forge {
  const at = (repository: string) => `/repos/${pathInUrl(repository)}`;
  const pull = (repository: string, number: number) =>
    http.json(GithubPull, `${at(repository)}/pulls/${number}`);

  return {
    user: () => http.json(z.object({ login: z.string() }), "/user"),
    defaultBranch: async (repository) => (await http.json(GithubRepository, at(repository))).default_branch,
    async find(repository, branch) {
      const [owner = ""] = repository.split("/");
      const query = {
        head: `${owner}:${branch}`,
        state: "all",
        sort: "created",
        direction: "desc",
        per_page: 30,
      };
      const pulls = await http.json(z.array(GithubPull), `${at(repository)}/pulls`, { query });
      // GitHub ignores the filter if it names an unknown owner, so the answer is filtered again.
      const own = pulls.filter(
        ({ head, base }) => head.ref === branch && head.repo?.full_name === base.repo.full_name,
      );
      const found = own.find(({ state }) => state === "open") ?? own[0];
      return found ? foundPull(found) : null;
    },
    byNumber: async (repository, number) => foundPull(await pull(repository, number)),
    async open(repository, { branch, ...asked }: NewPull) {
      const body = { ...asked, head: branch };
      try {
        return foundPull(await http.json(GithubPull, `${at(repository)}/pulls`, { method: "POST", body }));
      } catch (error) {
        throw notOpened(error, branch, asked.base);
      }
    },
    async look(repository, number) {
      const seen = await pull(repository, number);
      const path = at(repository);
      const { sha } = seen.head;
      const comments = githubComments(http, graphql, path, repository, number);
      const [about, parts] = await Promise.all([
        http.json(GithubRepository, path),
        partsOf(githubChecks(http, path, sha), githubReviews(http, path, number), comments),
      ]);
      const decision = await comments.then((one) => one.decision).catch(() => undefined);
      return {
        ...{ ...made(seen), ...parts },
        title: seen.title,
        draft: seen.draft ?? false,
        branch: seen.head.ref,
        base: seen.base.ref,
        head: sha,
        merge: {
          why: whyNot(seen, about, decision),
          methods: methodsOf(about.allow_merge_commit, about.allow_squash_merge, about.allow_rebase_merge),
        },
      } satisfies PullRequest;
    },
    log: (repository, _number, check): Promise<CheckLog> => githubLog(http, at(repository), check),
    async merge(repository, number, head, method) {
      const body = { sha: head, merge_method: method };
      await http.done(`${at(repository)}/pulls/${number}/merge`, { method: "PUT", body });
    },
    async branchHead(repository, branch) {
      const path = `${at(repository)}/git/ref/heads/${pathInUrl(branch)}`;
      const Ref = z.object({ object: z.object({ sha: z.string() }) });
      return orElse(
        http.json(Ref, path).then(({ object }) => object.sha),
        ["missing"],
        () => null,
      );
    },
    deleteBranch: (repository, branch) =>
      http.done(`${at(repository)}/git/refs/heads/${pathInUrl(branch)}`, { method: "DELETE" }),
    resolve: (_repository, _number, thread) => githubResolve(http, graphql, thread),
    answer: (repository, number, text, thread) =>
      thread === undefined
        ? http.done(`${at(repository)}/issues/${number}/comments`, { method: "POST", body: { body: text } })
        : githubReply(http, graphql, thread, text),
    async change(repository, number, { ready, ...body }) {
      const path = `${at(repository)}/pulls/${number}`;
      if (body.title !== undefined || body.body !== undefined)
        await http.done(path, { method: "PATCH", body });
      if (ready) await githubReady(http, graphql, path);
    },
    async repositories(text, page) {
      const own = { sort: "pushed", per_page: text === "" ? 30 : 100 };
      if (text === "") return http.some(GithubRepository, "/user/repos", { ...own, page }, repositoryOf);
      if (page > 1) return found(http, text, page - 1);
      // A search covers the whole forge: the person's own repositories come first.
      const { items } = await http.list(GithubRepository, "/user/repos", own);
      const mine = items.filter(({ full_name }) => full_name.toLowerCase().includes(text.toLowerCase()));
      if (mine.length >= 10) return { items: mine.slice(0, 50).map(repositoryOf), next: null };
      const others = await found(http, text, 1);
      const known = new Set(mine.map(({ full_name }) => full_name));
      return {
        items: [...mine.map(repositoryOf), ...others.items.filter(({ path }) => !known.has(path))],
        next: others.next === null ? null : others.next + 1,
      };
    },
    async branches(repository, text, page) {
      return branchesOf(http, `${at(repository)}/branches`, { per_page: 100 }, text, page);
    },
    async issues(repository, text, page) {
      const query = { per_page: 30, page };
      if (text === "") {
        const asked = { ...query, state: "open", sort: "updated" };
        const { value, next } = await http.page(z.array(IssueAnswer), `${at(repository)}/issues`, asked);
        return { items: value.filter(({ pull_request }) => pull_request === undefined).map(issueOf), next };
      }
      const q = `${text} repo:${repository} is:issue is:open`;
      const Found = z.object({ items: z.array(IssueAnswer) });
      const { value, next } = await http.page(Found, "/search/issues", { ...query, q });
      return { items: value.items.map(issueOf), next };
    },
    issue: async (repository, number) =>
      issueOf(await http.json(IssueAnswer, `${at(repository)}/issues/${number}`)),
  };
}

async function found(http: ForgeHttp, text: string, page: number) {
  const query = { q: `${text} in:name fork:true`, per_page: 30, page };
  const Found = z.object({ items: z.array(GithubRepository) });
  const { value, next } = await http.page(Found, "/search/repositories", query);
  return { items: value.items.map(repositoryOf), next };
}

/** A refusal is 422 with a message. https://docs.github.com/rest/pulls/pulls#create-a-pull-request */
function notOpened(error: unknown, branch: string, base: string): unknown {
  const said = saidIn(error);
  if (/already exists/i.test(said))
    return forgeRefusal("exists", `There is a pull request of ${branch} already.`, said);
  if (/no commits between/i.test(said))
    return forgeRefusal("nothing", `${branch} has no commits that ${base} does not have.`, said);
  if (/\bhead: invalid/i.test(said))
    return forgeRefusal("unpushed", `GitHub does not have the branch ${branch} yet: push it first.`, said);
  if (/\bbase: invalid/i.test(said))
    return forgeRefusal("other", `GitHub has no branch ${base} to merge into.`, said);
  if (/draft pull requests are not supported/i.test(said))
    return forgeRefusal(
      "other",
      "This repository takes no drafts: GitHub's plan for it does not have them. Turn the draft off.",
      said,
    );
  return error;
}

function foundPull(pull: GithubPull): FoundPull {
  const { head, base } = pull;
  const ownBranch = head.repo?.full_name === base.repo.full_name;
  return { ...made(pull), head: head.sha, branch: head.ref, ownBranch };
}

/**
 * What prevents a merge, as `merge.why` of a pull request. `decision`: that of the reviews. The states are explained at
 * https://docs.github.com/graphql/reference/enums#mergestatestatus.
 */
function whyNot(pull: GithubPull, about: GithubRepository, decision: string | undefined): string | null {
  if (pull.state !== "open") return made(pull).state === "merged" ? "It is merged." : "It is closed.";
  if (about.permissions?.push === false) return "This token has no right to merge here.";
  switch (pull.mergeable_state) {
    case "draft":
      return "It is a draft.";
    case "dirty":
      return `It conflicts with ${pull.base.ref}.`;
    case "behind":
      return `It has to be brought up to date with ${pull.base.ref} first.`;
    case "blocked":
      if (decision === "CHANGES_REQUESTED") return "A reviewer asks for changes.";
      if (decision === "REVIEW_REQUIRED") return `${pull.base.ref} requires a review.`;
      return `Rules of ${pull.base.ref} are not met yet.`;
    case "unknown":
    case undefined:
      return "";
    default:
      return null;
  }
}
