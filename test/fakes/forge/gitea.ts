// The fake forge as Gitea: /api/v1.
import {
  forgeToken,
  logOf,
  type PlayedAnswer,
  type PlayedForge,
  type PlayedPull,
  type PlayedRequest,
  paged,
} from "./played-forge.ts";

const json = (status: number, body: unknown): PlayedAnswer => ({ status, body });
const url = "https://forge.internal/api/swagger";
const refusal = (status: number, message: string) => json(status, { message, url });
const notFound = json(404, { errors: null, message: "The target couldn't be found.", url });

export function giteaAnswer(forge: PlayedForge, asked: PlayedRequest): PlayedAnswer {
  const { method, path, headers } = asked;
  if (headers.authorization !== `token ${forgeToken}`)
    return refusal(401, "invalid username, password or token");
  const rest = path.replace("/api/v1", "");
  if (rest === "/user") return json(200, { id: 1, login: "ada" });
  if (rest === "/user/repos") return paged(forge, asked, [repositoryOf(forge)], (items) => items, "limit");
  if (rest === "/repos/search")
    return paged(forge, asked, [repositoryOf(forge)], (data) => ({ ok: true, data }), "limit");
  const repository = `/repos/${forge.repository}`;
  if (!rest.startsWith(repository) || forge.quirks.rights === "none") return notFound;
  if (method !== "GET" && forge.quirks.rights === "read")
    return refusal(403, "token does not have at least one of required scope(s), required=[write:repository]");
  return ofRepository(forge, asked, rest.slice(repository.length)) ?? notFound;
}

function ofRepository(forge: PlayedForge, asked: PlayedRequest, path: string): PlayedAnswer | undefined {
  const { method, query, body } = asked;
  const route = (name: string, pattern: RegExp) =>
    method === name ? pattern.exec(path)?.slice(1).map(decodeURIComponent) : undefined;
  if (route("GET", /^$/)) return json(200, repositoryOf(forge));
  if (route("GET", /^\/pulls$/)) {
    const wanted = forge.pulls.filter(({ state }) => (state === "open") === (query.get("state") === "open"));
    return paged(
      forge,
      asked,
      wanted.toReversed(),
      (items) => items.map((pull) => pullOf(forge, pull)),
      "limit",
    );
  }
  if (route("POST", /^\/pulls$/)) return opened(forge, body);
  const [branch] = route("GET", /^\/branches\/(.+)$/) ?? route("DELETE", /^\/branches\/(.+)$/) ?? [];
  if (branch !== undefined) {
    const id = forge.headOf(branch);
    if (id === null) return notFound;
    if (method === "GET") return json(200, { name: branch, commit: { id } });
    forge.deleteBranch(branch);
    return { status: 204 };
  }
  if (route("GET", /^\/branches$/))
    return paged(
      forge,
      asked,
      forge.git("branch", "--format=%(refname:short)").split("\n"),
      (names) => names.map((name) => ({ name, commit: { id: forge.headOf(name) } })),
      "limit",
    );
  if (route("GET", /^\/issues$/))
    return paged(forge, asked, forge.issues, (items) => items.map((one) => issueOf(forge, one)), "limit");
  const [issue] = route("GET", /^\/issues\/(\d+)$/) ?? [];
  const found = forge.issues.find(({ number }) => String(number) === issue);
  if (found) return json(200, issueOf(forge, found));
  const [sha] = route("GET", /^\/commits\/([0-9a-f]{40})\/status$/) ?? [];
  if (sha !== undefined) {
    const states = { queued: "pending", running: "pending", passed: "success", failed: "failure" };
    return paged(
      forge,
      asked,
      forge.checks.filter((one) => one.sha === sha),
      (items) => ({
        state: "pending",
        statuses:
          items.length === 0
            ? null
            : items.map(({ id, name, state }, index) => ({
                id,
                context: `CI / ${name}`,
                status: states[state],
                description: "",
                target_url: `/${forge.repository}/actions/runs/3/jobs/${index}`,
              })),
      }),
      "limit",
    );
  }
  if (route("GET", /^\/actions\/runs$/))
    return json(200, { total_count: 1, workflow_runs: [{ id: 77, run_number: 3 }] });
  if (route("GET", /^\/actions\/runs\/77\/jobs$/))
    return json(200, { jobs: forge.checks.map(({ id }) => ({ id })) });
  const [job] = route("GET", /^\/actions\/jobs\/(\d+)\/logs$/) ?? [];
  if (job !== undefined) return logOf(forge, `/logs/${job}`);
  const [thread] = route("POST", /^\/pulls\/comments\/(\d+)\/resolve$/) ?? [];
  if (thread !== undefined && !forge.quirks.isOlder) {
    for (const one of forge.pulls.flatMap(({ threads }) => threads))
      if (one.id === thread) one.resolved = true;
    return { status: 204 };
  }
  const [number, rest] = /^\/(?:pulls|issues)\/(\d+)(.*)$/.exec(path)?.slice(1) ?? [];
  const pull = forge.pull(Number(number));
  if (!pull) return undefined;
  const [about] = route("POST", /^\/pulls\/\d+\/comments\/(\d+)\/replies$/) ?? [];
  if (about !== undefined) {
    if (forge.quirks.isOlder) return refusal(405, "Method Not Allowed");
    return forge.say(pull, String(body.body), about) ? json(201, { id: 1 }) : undefined;
  }
  switch (`${method} ${rest}`) {
    case "GET ":
      return json(200, pullOf(forge, pull));
    case "PATCH ": {
      const { title = pull.title, body: text = pull.body } = body;
      const named = String(title);
      Object.assign(pull, { title: named, body: text, draft: /^wip:/i.test(named) });
      return json(201, pullOf(forge, pull));
    }
    case "POST /comments":
      forge.say(pull, String(body.body));
      return json(201, { id: 1 });
    case "GET /reviews": {
      const states = { approved: "APPROVED", changes: "REQUEST_CHANGES", commented: "COMMENT" };
      const own = pull.reviews.map(({ by, state, text }, id) => ({
        id,
        user: { login: by },
        state: states[state],
        body: text,
        comments_count: 0,
        dismissed: false,
      }));
      const lines = {
        id: 99,
        user: { login: "bob" },
        state: "COMMENT",
        body: "",
        comments_count: pull.threads.length,
        dismissed: false,
      };
      return paged(forge, asked, [...own, lines], (items) => items, "limit");
    }
    case "GET /reviews/99/comments":
      return json(
        200,
        pull.threads
          .toReversed()
          .flatMap(({ id, by, text, path: file, line, isOld, resolved, answers = [] }) =>
            // Only its position distinguishes a reply from the comment before it.
            [{ by, text }, ...answers].map((said, index) => ({
              id: Number(id) + index,
              user: { login: said.by },
              body: said.text,
              created_at: "2026-11-01T10:00:00Z",
              path: file,
              position: isOld ? 0 : line,
              original_position: isOld ? line : 0,
              diff_hunk: "@@ -1 +1 @@\n-one\n+three",
              resolver: resolved && index === 0 ? { login: "ada" } : null,
            })),
          ),
      );
    case "GET /comments":
      return json(
        200,
        pull.comments.map(({ id, by, text }) => ({
          id,
          user: { login: by },
          body: text,
          created_at: "2026-11-01T10:00:00Z",
        })),
      );
    case "POST /merge": {
      if (pull.state !== "open" || pull.draft)
        return refusal(405, "The PR is not open or is a work in progress");
      if (body.head_commit_id !== forge.shaOf(pull)) return refusal(409, "head out of date");
      const blocked = forge.blocked(pull);
      if (blocked) return refusal(405, "Does not have enough approvals");
      forge.merge(pull, String(body.Do));
      return { status: 200 };
    }
    default:
      return undefined;
  }
}

function opened(forge: PlayedForge, body: Record<string, unknown>): PlayedAnswer {
  const pull = {
    title: String(body.title),
    body: String(body.body),
    head: String(body.head),
    base: String(body.base),
    draft: /^wip:/i.test(String(body.title)),
  };
  if (forge.headOf(pull.head) === null || forge.headOf(pull.base) === null)
    return json(404, {
      errors: [`could not find '${pull.head}' to be a commit, branch or tag in the head repository`],
      message: "The target couldn't be found.",
      url,
    });
  if (forge.pulls.some((one) => one.head === pull.head && one.base === pull.base && one.state === "open"))
    return refusal(
      409,
      `pull request already exists for these targets [id: 3, issue_id: 3, head_repo_id: 5, base_repo_id: 5, head_branch: ${pull.head}, base_branch: ${pull.base}]`,
    );
  return json(201, pullOf(forge, forge.open(pull)));
}

function pullOf(forge: PlayedForge, pull: PlayedPull) {
  const { number, title, head, base, draft, state } = pull;
  const isThere = forge.headOf(head) !== null;
  return {
    ...{
      number,
      title,
      draft,
      state: state === "open" ? "open" : "closed",
      merged: state === "merged",
      mergeable: true,
    },
    html_url: `${forge.origin}/${forge.repository}/pulls/${number}`,
    head: {
      label: head,
      ref: isThere ? head : `refs/pull/${number}/head`,
      sha: forge.shaOf(pull),
      repo_id: 5,
    },
    base: { label: base, ref: base, repo_id: 5 },
  };
}

function repositoryOf(forge: PlayedForge) {
  return {
    ...{
      id: 5,
      full_name: forge.repository,
      private: true,
      description: "",
      default_branch: "main",
      updated_at: "2026-11-01T10:00:00Z",
    },
    clone_url: `${forge.origin}/${forge.repository}.git`,
    ...{ allow_merge_commits: true, allow_squash_merge: true, allow_rebase: false },
    permissions: { admin: false, push: forge.quirks.rights === "all", pull: true },
  };
}

function issueOf(forge: PlayedForge, issue: PlayedForge["issues"][number]) {
  return { ...issue, state: "open", html_url: `${forge.origin}/${forge.repository}/issues/${issue.number}` };
}
