// The fake forge as GitLab: REST at /api/v4.
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
const notFound = json(404, { message: "404 Project Not Found" });

export function gitlabAnswer(forge: PlayedForge, asked: PlayedRequest): PlayedAnswer {
  const { method, path, headers } = asked;
  if (headers.authorization !== `Bearer ${forgeToken}`) return json(401, { message: "401 Unauthorized" });
  const rest = path.replace("/api/v4", "");
  if (rest === "/user") return json(200, { id: 1, username: "ada" });
  if (rest === "/projects") return paged(forge, asked, [projectOf(forge)], (items) => items);
  const project = `/projects/${encodeURIComponent(forge.repository)}`;
  if (!rest.startsWith(project) || forge.quirks.rights === "none") return notFound;
  const own = rest.slice(project.length);
  // GitLab answers 401 to a merge by someone who may only read.
  if (method !== "GET" && forge.quirks.rights === "read")
    return own.endsWith("/merge")
      ? json(401, { message: "401 Unauthorized" })
      : json(403, { message: "403 Forbidden" });
  return ofProject(forge, asked, own) ?? json(404, { message: "404 Not found" });
}

function ofProject(forge: PlayedForge, asked: PlayedRequest, path: string): PlayedAnswer | undefined {
  const { method, query, body } = asked;
  const route = (name: string, pattern: RegExp) =>
    method === name ? pattern.exec(path)?.slice(1).map(decodeURIComponent) : undefined;
  if (route("GET", /^$/)) return json(200, projectOf(forge));
  if (route("GET", /^\/merge_requests$/)) {
    const found = forge.pulls.filter(({ head }) => head === query.get("source_branch"));
    return paged(forge, asked, found.toReversed(), (items) => items.map((pull) => requestOf(forge, pull)));
  }
  if (route("POST", /^\/merge_requests$/)) return opened(forge, body);
  const [branch] =
    route("GET", /^\/repository\/branches\/(.+)$/) ?? route("DELETE", /^\/repository\/branches\/(.+)$/) ?? [];
  if (branch !== undefined) {
    const id = forge.headOf(branch);
    if (id === null) return json(404, { message: "404 Branch Not Found" });
    if (method === "GET") return json(200, { name: branch, commit: { id } });
    forge.deleteBranch(branch);
    return { status: 204 };
  }
  if (route("GET", /^\/repository\/branches$/))
    return paged(forge, asked, forge.git("branch", "--format=%(refname:short)").split("\n"), (names) =>
      names.map((name) => ({ name, commit: { id: forge.headOf(name) } })),
    );
  if (route("GET", /^\/issues$/))
    return paged(forge, asked, forge.issues, (items) => items.map((one) => issueOf(forge, one)));
  const [issue] = route("GET", /^\/issues\/(\d+)$/) ?? [];
  const found = forge.issues.find(({ number }) => String(number) === issue);
  if (found) return json(200, issueOf(forge, found));
  if (route("GET", /^\/pipelines\/\d+\/jobs$/))
    return paged(forge, asked, forge.checks, (items) =>
      items.map((one) => ({ ...jobOf(one), web_url: `${forge.origin}/-/jobs/${one.id}`, stage: "test" })),
    );
  const [sha] = route("GET", /^\/repository\/commits\/([0-9a-f]{40})\/statuses$/) ?? [];
  if (sha !== undefined)
    return paged(
      forge,
      asked,
      forge.checks.filter((one) => one.sha === sha),
      (items) => items.map((one) => ({ ...jobOf(one), target_url: null, description: null })),
    );
  const [job] = route("GET", /^\/jobs\/(\d+)\/trace$/) ?? [];
  if (job !== undefined) return logOf(forge, `/logs/${job}`);
  const [number, rest] = /^\/merge_requests\/(\d+)(.*)$/.exec(path)?.slice(1) ?? [];
  const pull = forge.pull(Number(number));
  if (!pull) return undefined;
  if (method === "GET" && rest === "") return json(200, requestOf(forge, pull));
  if (method === "GET" && rest === "/approvals")
    return json(200, {
      approved_by: pull.reviews
        .filter(({ state }) => state === "approved")
        .map(({ by }) => ({ user: { username: by }, approved_at: "2026-11-01T10:00:00Z" })),
    });
  if (method === "GET" && rest === "/discussions")
    return paged(forge, asked, discussions(pull), (items) => items);
  if (method === "PUT" && rest === "") {
    const { title = pull.title, description = pull.body } = body;
    const named = String(title);
    Object.assign(pull, { title: named, body: description, draft: /^draft:/i.test(named) });
    return json(200, requestOf(forge, pull));
  }
  const [, said] = /^(?:\/discussions\/(.+))?\/notes$/.exec(rest ?? "") ?? [];
  if (method === "POST" && rest?.endsWith("/notes"))
    return forge.say(pull, String(body.body), said) ? json(201, { id: 1 }) : undefined;
  const [thread] = /^\/discussions\/(.+)$/.exec(rest ?? "")?.slice(1) ?? [];
  if (method === "PUT" && thread !== undefined) {
    const known = pull.threads.find(({ id }) => id === thread);
    if (!known) return undefined;
    known.resolved = body.resolved === true;
    return json(200, { id: thread, notes: [] });
  }
  if (method === "PUT" && rest === "/merge") {
    if (pull.state !== "open" || pull.draft || forge.blocked(pull))
      return json(405, { message: "405 Method Not Allowed" });
    if (body.sha !== forge.shaOf(pull))
      return json(409, { message: `SHA does not match HEAD of source branch: ${forge.shaOf(pull)}` });
    forge.merge(pull, body.squash === true ? "squash" : "merge");
    return json(200, requestOf(forge, pull));
  }
  return undefined;
}

function opened(forge: PlayedForge, body: Record<string, unknown>): PlayedAnswer {
  const { title = "", description, source_branch: head, target_branch: base } = body;
  const named = String(title);
  const pull = {
    title: named,
    body: String(description),
    head: String(head),
    base: String(base),
    draft: /^draft:/i.test(named),
  };
  const before = forge.pulls.find((one) => one.head === pull.head && one.state === "open");
  if (before)
    return json(409, {
      message: [`Another open merge request already exists for this source branch: !${before.number}`],
    });
  if (forge.headOf(pull.head) === null)
    return json(400, { message: { base: ["Source branch does not exist"] } });
  return json(201, requestOf(forge, forge.open(pull)));
}

function requestOf(forge: PlayedForge, pull: PlayedPull) {
  const { number, title, head, base, draft, state } = pull;
  const status = draft
    ? "draft_status"
    : forge.quirks.requiresReview && forge.blocked(pull)
      ? "not_approved"
      : forge.blocked(pull)
        ? "ci_must_pass"
        : "mergeable";
  return {
    ...{ id: 1_000 + number, iid: number, title, draft, state: state === "open" ? "opened" : state },
    web_url: `${forge.origin}/${forge.repository}/-/merge_requests/${number}`,
    ...{
      source_branch: head,
      target_branch: base,
      source_project_id: 5,
      target_project_id: 5,
      sha: forge.shaOf(pull),
    },
    detailed_merge_status: status,
    user: { can_merge: forge.quirks.rights === "all" },
    head_pipeline: forge.checks.length > 0 ? { id: 7, status: "running" } : null,
  };
}

function discussions(pull: PlayedPull) {
  const note = (id: number, by: string, body: string) => ({
    ...{ id, body, author: { username: by }, created_at: "2026-11-01T10:00:00Z", system: false },
  });
  return [
    { id: "sys", notes: [{ ...note(1, "ada", "added 1 commit"), system: true }] },
    ...pull.threads.map(({ id, by, text, path, line, resolved, answers = [] }, index) => ({
      id,
      notes: [
        {
          ...note(50 + index, by, text),
          type: "DiffNote",
          resolvable: true,
          resolved,
          position: { new_path: path, old_path: path, new_line: line, old_line: null },
        },
        ...answers.map((one) => note(2_000 + index, one.by, one.text)),
      ],
    })),
    ...pull.comments.map(({ id, by, text }) => ({
      id: `d-${id}`,
      notes: [{ ...note(id, by, text), resolvable: false }],
    })),
  ];
}

function jobOf({ id, name, state }: PlayedForge["checks"][number]) {
  const states = { queued: "pending", running: "running", passed: "success", failed: "failed" };
  return {
    id,
    name,
    status: states[state],
    allow_failure: false,
    ...(state === "failed" ? { failure_reason: "script_failure" } : {}),
  };
}

function projectOf(forge: PlayedForge) {
  return {
    ...{
      id: 5,
      path_with_namespace: forge.repository,
      visibility: "private",
      description: null,
      default_branch: "main",
    },
    http_url_to_repo: `${forge.origin}/${forge.repository}.git`,
  };
}

function issueOf(forge: PlayedForge, { number, title, body }: PlayedForge["issues"][number]) {
  return {
    id: 900 + number,
    iid: number,
    title,
    description: body,
    state: "opened",
    web_url: `${forge.origin}/${forge.repository}/-/issues/${number}`,
  };
}
