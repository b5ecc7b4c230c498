// The fake forge as GitHub: REST (2022-11-28) at /api/v3, GraphQL at /api/graphql, the device flow at /login.
import { githubDevice, githubGraphql } from "./github-graphql.ts";
import {
  forgeToken,
  logOf,
  type PlayedAnswer,
  type PlayedCheck,
  type PlayedForge,
  type PlayedPull,
  type PlayedRequest,
  paged,
} from "./played-forge.ts";

const json = (status: number, body: unknown): PlayedAnswer => ({ status, body });
const docs = "https://docs.github.com/rest";
const refusal = (status: number, message: string, errors?: unknown[]) =>
  json(status, { message, ...(errors ? { errors } : {}), documentation_url: docs, status: String(status) });
const notFound = refusal(404, "Not Found");

export function githubAnswer(forge: PlayedForge, asked: PlayedRequest): PlayedAnswer {
  const { method, path, headers, body } = asked;
  if (path.startsWith("/login/")) return githubDevice(forge, asked);
  if (headers.authorization !== `Bearer ${forgeToken}`) return refusal(401, "Bad credentials");
  if (!headers["user-agent"]) return refusal(403, "Request forbidden by administrative rules.");
  if (path === "/api/graphql") return githubGraphql(forge, body);
  const rest = path.replace("/api/v3", "");
  if (rest === "/user") return json(200, { login: "ada", id: 1 });
  if (rest === "/user/repos") return paged(forge, asked, [repositoryOf(forge)], (items) => items);
  if (rest === "/search/repositories")
    return paged(forge, asked, [{ ...repositoryOf(forge), full_name: "world/app" }], (items) => ({
      total_count: 1,
      incomplete_results: false,
      items,
    }));
  const own = rest.startsWith(`/repos/${forge.repository}`)
    ? rest.slice(`/repos/${forge.repository}`.length)
    : undefined;
  if (own === undefined || forge.quirks.rights === "none") return notFound;
  if (method !== "GET" && forge.quirks.rights === "read")
    return refusal(403, "Resource not accessible by personal access token");
  return repository(forge, asked, own) ?? notFound;
}

function repository(forge: PlayedForge, asked: PlayedRequest, path: string): PlayedAnswer | undefined {
  const { method, query, body } = asked;
  const at = (pattern: RegExp) => pattern.exec(path)?.slice(1).map(decodeURIComponent);
  const route = (name: string, pattern: RegExp) => (method === name ? at(pattern) : undefined);
  if (route("GET", /^$/)) return json(200, repositoryOf(forge));
  if (route("GET", /^\/pulls$/)) {
    const [, branch] = (query.get("head") ?? "").split(":");
    const found = forge.pulls.filter(
      ({ head, state }) => head === branch && (query.get("state") === "all" || state === "open"),
    );
    return paged(forge, asked, found.toReversed(), (items) =>
      items.map((pull) => listed(pullOf(forge, pull))),
    );
  }
  if (route("POST", /^\/pulls$/)) return opened(forge, body);
  const branch = route("GET", /^\/git\/ref\/heads\/(.+)$/) ?? route("DELETE", /^\/git\/refs\/heads\/(.+)$/);
  if (branch) return reference(forge, method, branch[0] ?? "");
  const [runs] = route("GET", /^\/commits\/([0-9a-f]{40})\/check-runs$/) ?? [];
  if (runs !== undefined) {
    if (forge.quirks.hidesChecks) return refusal(403, "Resource not accessible by personal access token");
    return paged(forge, asked, of(forge, runs), (items) => ({
      total_count: items.length,
      check_runs: items.map((one) => runOf(forge, one)),
    }));
  }
  const [statuses] = route("GET", /^\/commits\/([0-9a-f]{40})\/status$/) ?? [];
  if (statuses !== undefined)
    return paged(forge, asked, [], (items) => ({ state: "pending", statuses: items, sha: statuses }));
  if (route("GET", /^\/actions\/runs$/))
    return json(200, {
      total_count: 1,
      workflow_runs: [{ id: 7, name: "CI", head_sha: query.get("head_sha") }],
    });
  if (route("GET", /^\/actions\/runs\/7\/jobs$/))
    return paged(forge, asked, forge.checks, (items) => ({
      total_count: items.length,
      jobs: items.map((one) => runOf(forge, one)),
    }));
  const [job] = route("GET", /^\/actions\/jobs\/(\d+)\/logs$/) ?? [];
  if (job !== undefined) {
    // Logs are in a store on another host, with a signed address:
    // https://docs.github.com/rest/actions/workflow-jobs
    const { logsAt = forge.origin } = forge.quirks;
    return logOf(forge, `/logs/${job}`).status === 404
      ? notFound
      : { status: 302, headers: { location: `${logsAt}/logs/${job}` } };
  }
  if (route("GET", /^\/branches$/))
    return paged(forge, asked, forge.git("branch", "--format=%(refname:short)").split("\n"), (names) =>
      names.map((name) => ({ name, commit: { sha: forge.headOf(name) }, protected: name === "main" })),
    );
  if (route("GET", /^\/issues$/))
    return paged(
      forge,
      asked,
      [...forge.issues, { number: 1, title: "A pull request", body: "", pull_request: {} }],
      (items) => items.map((one) => issueOf(forge, one)),
    );
  const [issue] = route("GET", /^\/issues\/(\d+)$/) ?? [];
  const found = forge.issues.find(({ number }) => String(number) === issue);
  if (found) return json(200, issueOf(forge, found));
  const [number, rest] = at(/^\/(?:pulls|issues)\/(\d+)(.*)$/) ?? [];
  const pull = forge.pull(Number(number));
  if (!pull) return undefined;
  switch (`${method} ${rest}`) {
    case "GET ":
      return json(200, pullOf(forge, pull));
    case "PATCH ":
      Object.assign(pull, body);
      return json(200, pullOf(forge, pull));
    case "POST /comments":
      forge.say(pull, String(body.body));
      return json(201, { id: 1 });
    case "GET /reviews": {
      const states = { approved: "APPROVED", changes: "CHANGES_REQUESTED", commented: "COMMENTED" };
      return paged(forge, asked, pull.reviews, (items) =>
        items.map(({ by, state, text }, id) => ({
          id,
          user: { login: by },
          state: states[state],
          body: text,
          submitted_at: "2026-11-01T10:00:00Z",
        })),
      );
    }
    case "GET /comments":
      return paged(forge, asked, pull.comments, (items) =>
        items.map(({ id, by, text }) => ({
          id,
          user: { login: by },
          body: text,
          created_at: "2026-11-01T10:00:00Z",
        })),
      );
    case "PUT /merge": {
      if (pull.state !== "open" || pull.draft) return refusal(405, "Pull Request is not mergeable");
      if (body.sha !== forge.shaOf(pull))
        return refusal(409, "Head branch was modified. Review and try the merge again.");
      const blocked = forge.blocked(pull);
      if (blocked) return refusal(405, blocked);
      return json(200, {
        sha: forge.merge(pull, String(body.merge_method)),
        merged: true,
        message: "Pull Request successfully merged",
      });
    }
    default:
      return undefined;
  }
}

function opened(
  forge: PlayedForge,
  { title, body, head, base, draft }: Record<string, unknown>,
): PlayedAnswer {
  const invalid = (error: object) =>
    refusal(422, "Validation Failed", [{ resource: "PullRequest", ...error }]);
  const pull = {
    title: String(title),
    body: String(body),
    head: String(head),
    base: String(base),
    draft: draft === true,
  };
  if (forge.headOf(pull.base) === null) return invalid({ field: "base", code: "invalid" });
  if (forge.headOf(pull.head) === null) return invalid({ field: "head", code: "invalid" });
  if (forge.pulls.some((one) => one.head === pull.head && one.base === pull.base && one.state === "open"))
    return invalid({ code: "custom", message: `A pull request already exists for team:${pull.head}.` });
  if (forge.ahead(pull) === 0)
    return invalid({ code: "custom", message: `No commits between ${pull.base} and ${pull.head}` });
  if (pull.draft && forge.quirks.refusesDrafts)
    return refusal(422, "Draft pull requests are not supported in this repository.");
  return json(201, pullOf(forge, forge.open(pull)));
}

function reference(forge: PlayedForge, method: string, branch: string): PlayedAnswer {
  const sha = forge.headOf(branch);
  if (sha === null) return method === "GET" ? notFound : refusal(422, "Reference does not exist");
  if (method === "GET") return json(200, { ref: `refs/heads/${branch}`, object: { type: "commit", sha } });
  forge.deleteBranch(branch);
  return { status: 204 };
}

function of(forge: PlayedForge, sha: string): PlayedCheck[] {
  return forge.checks.filter((one) => one.sha === sha);
}

function runOf(forge: PlayedForge, { id, name, state }: PlayedCheck) {
  const isOver = state === "passed" || state === "failed";
  return {
    id,
    name,
    status: isOver ? "completed" : state === "running" ? "in_progress" : "queued",
    conclusion: isOver ? (state === "passed" ? "success" : "failure") : null,
    html_url: `${forge.origin}/${forge.repository}/actions/runs/7/job/${id}`,
    app: { slug: "github-actions" },
    output: { title: null, summary: null, text: null, annotations_count: 0 },
  };
}

function pullOf(forge: PlayedForge, pull: PlayedPull) {
  const { number, title, body, head, base, draft, state } = pull;
  const full_name = forge.repository;
  const blocked = draft ? "draft" : forge.blocked(pull) ? "blocked" : "clean";
  return {
    ...{
      number,
      node_id: `PR_${number}`,
      title,
      body,
      draft,
      state: state === "open" ? "open" : "closed",
      merged: state === "merged",
    },
    html_url: `${forge.origin}/${full_name}/pull/${number}`,
    merged_at: state === "merged" ? "2026-11-01T10:00:00Z" : null,
    mergeable: true,
    mergeable_state: state === "open" ? blocked : "unknown",
    head: { label: `team:${head}`, ref: head, sha: forge.shaOf(pull), repo: { full_name } },
    base: { label: `team:${base}`, ref: base, sha: forge.headOf(base), repo: { full_name } },
  };
}

/** Lists do not contain whether a pull request is merged, only when. */
function listed({ merged: _, mergeable: __, mergeable_state: ___, ...rest }: ReturnType<typeof pullOf>) {
  return rest;
}

function repositoryOf(forge: PlayedForge) {
  return {
    ...{
      id: 5,
      full_name: forge.repository,
      private: true,
      description: "What is played",
      default_branch: "main",
    },
    clone_url: `${forge.origin}/${forge.repository}.git`,
    ...{ allow_merge_commit: true, allow_squash_merge: true, allow_rebase_merge: false },
    permissions: { admin: false, push: forge.quirks.rights === "all", pull: true },
  };
}

function issueOf(forge: PlayedForge, issue: { number: number; title: string; body: string }) {
  return { ...issue, state: "open", html_url: `${forge.origin}/${forge.repository}/issues/${issue.number}` };
}
