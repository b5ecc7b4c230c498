// Reviews and comments of a pull request on GitHub. Threads are only in GraphQL.
import * as z from "zod/mini";
import type { PullComment, PullReview } from "../../shared/forge.ts";
import { CommentAnswer, loginOf, reviewShape, reviewsIn, saidComment, User } from "./alike.ts";
import type { ItemList } from "./forge.ts";
import { forgeRefusal } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { bounded, hunkEnd } from "./forge-text.ts";

const ThreadComment = z.object({
  id: z.string(),
  body: z.string(),
  createdAt: z.string(),
  diffHunk: z.optional(z.string()),
  author: User,
});
const Thread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: z.nullable(z.number()),
  originalLine: z.nullish(z.number()),
  viewerCanResolve: z.optional(z.boolean()),
  comments: z.object({ nodes: z.array(ThreadComment) }),
});
const Threads = z.object({
  repository: z.nullable(
    z.object({
      pullRequest: z.nullable(
        z.object({
          reviewDecision: z.nullable(z.string()),
          reviewThreads: z.object({
            pageInfo: z.object({ hasNextPage: z.boolean() }),
            nodes: z.array(Thread),
          }),
        }),
      ),
    }),
  ),
});

const threadsQuery = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){pullRequest(number:$number){reviewDecision reviewThreads(first:100){pageInfo{hasNextPage}nodes{id isResolved isOutdated path line originalLine viewerCanResolve comments(first:30){nodes{id body createdAt diffHunk author{login}}}}}}}}`;
const resolveQuery = "mutation($id:ID!){resolveReviewThread(input:{threadId:$id}){thread{id isResolved}}}";
const replyQuery =
  "mutation($id:ID!,$body:String!){addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:$id,body:$body}){comment{id}}}";
const readyQuery =
  "mutation($id:ID!){markPullRequestReadyForReview(input:{pullRequestId:$id}){pullRequest{id isDraft}}}";

export async function githubReviews(
  http: ForgeHttp,
  path: string,
  number: number,
): Promise<ItemList<PullReview>> {
  const query = { per_page: 100 };
  const { items, truncated } = await http.list(
    z.object(reviewShape),
    `${path}/pulls/${number}/reviews`,
    query,
  );
  return { items: reviewsIn(items), truncated };
}

/** `decision`: the overall result of the reviews, in GitHub's term. */
export async function githubComments(
  http: ForgeHttp,
  graphql: string,
  path: string,
  repository: string,
  number: number,
): Promise<ItemList<PullComment> & { decision: string | undefined }> {
  const [owner, name] = repository.split("/");
  const list = `${path}/issues/${number}/comments`;
  const [asked, said] = await Promise.all([
    askGraphql(http, graphql, threadsQuery, { owner, name, number }, Threads),
    http.list(CommentAnswer, list, { per_page: 100 }),
  ]);
  const pull = asked.repository?.pullRequest;
  const threads = (pull?.reviewThreads.nodes ?? []).flatMap(threadOf);
  return {
    items: [...threads, ...said.items.map(saidComment)],
    decision: pull?.reviewDecision ?? undefined,
    truncated: said.truncated || (pull?.reviewThreads.pageInfo.hasNextPage ?? false),
  };
}

function threadOf({ id, comments, ...thread }: z.infer<typeof Thread>): PullComment[] {
  const [first, ...answers] = comments.nodes;
  const line = thread.line ?? thread.originalLine;
  if (first === undefined) return [];
  return [
    {
      id: first.id,
      thread: thread.viewerCanResolve === false && !thread.isResolved ? null : id,
      by: loginOf(first.author),
      text: bounded(first.body),
      at: first.createdAt,
      path: thread.path,
      ...(line ? { line } : {}),
      ...(first.diffHunk ? { lines: hunkEnd(first.diffHunk) } : {}),
      outdated: thread.isOutdated,
      resolved: thread.isResolved,
      answers: answers.map(({ author, body }) => ({ by: loginOf(author), text: bounded(body) })),
    },
  ];
}

export async function githubResolve(http: ForgeHttp, graphql: string, thread: string): Promise<void> {
  await askGraphql(http, graphql, resolveQuery, { id: thread }, z.unknown());
}

export async function githubReply(
  http: ForgeHttp,
  graphql: string,
  thread: string,
  body: string,
): Promise<void> {
  await askGraphql(http, graphql, replyQuery, { id: thread, body }, z.unknown());
}

/** `path`: of the pull request. REST cannot: https://docs.github.com/graphql/reference/mutations#markpullrequestreadyforreview */
export async function githubReady(http: ForgeHttp, graphql: string, path: string): Promise<void> {
  const Draft = z.object({ node_id: z.string(), draft: z.optional(z.boolean()) });
  const { node_id: id, draft } = await http.json(Draft, path);
  if (draft !== false) await askGraphql(http, graphql, readyQuery, { id }, z.unknown());
}

/**
 * GraphQL answers 200 with `errors` where REST would use a status:
 * https://docs.github.com/graphql/guides/using-the-graphql-api-for-error-handling
 */
async function askGraphql<T extends z.core.$ZodType>(
  http: ForgeHttp,
  graphql: string,
  query: string,
  variables: object,
  schema: T,
): Promise<z.output<T>> {
  const Answer = z.object({
    data: z.nullish(z.unknown()),
    errors: z.optional(z.array(z.object({ type: z.optional(z.string()), message: z.string() }))),
  });
  const asked = { method: "POST", body: { query, variables } };
  const { value, limit } = await http.answered(Answer, graphql, asked);
  const [error] = value.errors ?? [];
  if (error === undefined) {
    const data = z.safeParse(schema, value.data);
    if (data.success) return data.data;
    throw forgeRefusal("other", `${http.host} answered with something that is not its API.`);
  }
  const said = error.message.replace(/[\p{C}\s]+/gu, " ").slice(0, 300);
  if (error.type === "RATE_LIMITED" || /rate limit/i.test(said)) throw limit(said);
  switch (error.type) {
    case "FORBIDDEN":
    case "INSUFFICIENT_SCOPES":
      throw forgeRefusal("rights", `${http.host} does not allow that with this token: ${said}`, said);
    case "NOT_FOUND":
      throw forgeRefusal(
        "missing",
        `${http.host} has nothing there, or this token has no right to see it.`,
        said,
      );
  }
  // Errors for its timeouts have no type.
  if (/something went wrong|timeout/i.test(said))
    throw forgeRefusal("down", `${http.host} has a problem of its own. Try again later.`, said);
  throw forgeRefusal("other", `${http.host} refused that: ${said}`, said);
}
