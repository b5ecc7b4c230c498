// The fake forge as GitHub, apart from REST: GraphQL for review threads, and the device flow.
import { forgeToken, type PlayedAnswer, type PlayedForge, type PlayedRequest } from "./played-forge.ts";

const json = (status: number, body: unknown): PlayedAnswer => ({ status, body });

export function githubGraphql(
  forge: PlayedForge,
  { query, variables }: Record<string, unknown>,
): PlayedAnswer {
  const given = (variables ?? {}) as Record<string, unknown>;
  if (String(query).includes("markPullRequestReadyForReview")) {
    const pull = forge.pull(Number(String(given.id).replace("PR_", "")));
    if (pull) pull.draft = false;
    return json(200, { data: { markPullRequestReadyForReview: { pullRequest: { id: given.id } } } });
  }
  if (String(query).includes("addPullRequestReviewThreadReply")) {
    for (const pull of forge.pulls) forge.say(pull, String(given.body), String(given.id));
    return json(200, { data: { addPullRequestReviewThreadReply: { comment: { id: "c" } } } });
  }
  if (String(query).startsWith("mutation")) {
    const thread = forge.pulls.flatMap(({ threads }) => threads).find(({ id }) => id === given.id);
    if (!thread)
      return json(200, {
        data: null,
        errors: [
          {
            type: "NOT_FOUND",
            path: ["resolveReviewThread"],
            message: `Could not resolve to a node with the global id of '${String(given.id)}'`,
          },
        ],
      });
    if (forge.quirks.rights !== "all")
      return json(200, {
        data: { resolveReviewThread: null },
        errors: [{ type: "FORBIDDEN", message: "Resource not accessible by personal access token" }],
      });
    thread.resolved = true;
    return json(200, { data: { resolveReviewThread: { thread: { id: thread.id, isResolved: true } } } });
  }
  const pull = forge.pull(Number(given.number));
  if (!pull)
    return json(200, {
      data: { repository: null },
      errors: [{ type: "NOT_FOUND", message: "Could not resolve to a Repository" }],
    });
  const nodes = pull.threads.map(({ id, by, text, path, line, resolved, answers = [] }) => ({
    ...{
      id,
      path,
      line,
      originalLine: line,
      isResolved: resolved,
      isOutdated: false,
      viewerCanResolve: true,
    },
    comments: {
      nodes: [
        {
          id: `c-${id}`,
          body: text,
          createdAt: "2026-11-01T10:00:00Z",
          diffHunk: "@@ -1 +1 @@\n-one\n+three",
          author: { login: by },
        },
        ...answers.map((one, index) => ({
          id: `c-${id}-${index}`,
          body: one.text,
          createdAt: "2026-11-01T11:00:00Z",
          author: { login: one.by },
        })),
      ],
    },
  }));
  const blocked = forge.quirks.requiresReview && forge.blocked(pull) ? "REVIEW_REQUIRED" : null;
  const reviewThreads = { pageInfo: { hasNextPage: false }, nodes };
  return json(200, { data: { repository: { pullRequest: { reviewDecision: blocked, reviewThreads } } } });
}

/**
 * https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow: errors have
 * the status 200.
 */
export function githubDevice(forge: PlayedForge, { path, body }: PlayedRequest): PlayedAnswer {
  if (body.client_id !== "played-client") return json(200, { error: "incorrect_client_credentials" });
  if (path === "/login/device/code")
    return json(200, {
      device_code: "device-1",
      user_code: "WDJB-MJHT",
      verification_uri: `${forge.origin}/login/device`,
      expires_in: 899,
      interval: 5,
    });
  if (body.device_code !== "device-1") return json(200, { error: "incorrect_device_code" });
  if (forge.device === "denied") return json(200, { error: "access_denied" });
  if (forge.device === "pending") return json(200, { error: "authorization_pending" });
  return json(200, { access_token: forgeToken, token_type: "bearer", scope: "repo,workflow" });
}
