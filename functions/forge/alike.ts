// The parts that GitHub's and Gitea's APIs share: Gitea's follows GitHub's.
import * as z from "zod/mini";
import type { ForgeIssue, ForgeRepository, PullComment, PullMade, PullReview } from "../../shared/forge.ts";
import { bounded, optionalText, shortened } from "./forge-text.ts";

export const User = z.nullable(z.object({ login: z.string() }));

/** Bots and deleted accounts may have no user. */
export function loginOf(user: z.infer<typeof User>): string {
  return user?.login ?? "ghost";
}

export const reviewShape = {
  user: User,
  state: z.string(),
  body: z.nullish(z.string()),
  submitted_at: z.optional(z.string()),
  dismissed: z.optional(z.boolean()),
};
const Review = z.object(reviewShape);

/** GitHub's names first. Dismissed reviews have a state of their own there. */
const states: Readonly<Record<string, PullReview["state"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes",
  REQUEST_CHANGES: "changes",
  COMMENTED: "commented",
  COMMENT: "commented",
};

/**
 * The reviews that count: each person's newest. A comment withdraws neither an approval nor a request for changes.
 * `all`: oldest first.
 */
export function reviewsIn(all: readonly z.infer<typeof Review>[]): PullReview[] {
  const newest = new Map<string, PullReview>();
  for (const { user, state: said, body, dismissed, submitted_at: at = "" } of all) {
    const state = states[said];
    const by = loginOf(user);
    // A review that has only line comments is shown by those comments.
    if (state === undefined || dismissed || (state === "commented" && !body)) continue;
    if (state === "commented" && (newest.get(by)?.state ?? state) !== state) continue;
    newest.set(by, { by, state, text: bounded(optionalText(body)), at });
  }
  return [...newest.values()];
}

/** Comments on the pull request as a whole. */
export const CommentAnswer = z.object({
  id: z.number(),
  user: User,
  body: z.nullish(z.string()),
  created_at: z.string(),
});

export function saidComment({ id, user, body, created_at: at }: z.infer<typeof CommentAnswer>): PullComment {
  const text = bounded(optionalText(body));
  const place = { thread: null, outdated: false, resolved: false, answers: [] };
  return { id: `issue-${id}`, by: loginOf(user), text, at, ...place };
}

export const pullShape = {
  number: z.number(),
  html_url: z.string(),
  state: z.enum(["open", "closed"]),
  title: z.string(),
  draft: z.optional(z.boolean()),
  /** GitHub's lists contain only the time of the merge. */
  merged: z.optional(z.boolean()),
  merged_at: z.nullish(z.string()),
};
const Pull = z.object(pullShape);

export function made({ number, html_url: url, state, merged, merged_at }: z.infer<typeof Pull>): PullMade {
  return { number, url, state: merged || merged_at ? "merged" : state };
}

export const repositoryShape = {
  full_name: z.string(),
  clone_url: z.string(),
  private: z.boolean(),
  description: z.nullish(z.string()),
  default_branch: z.string(),
  allow_squash_merge: z.optional(z.boolean()),
  permissions: z.optional(z.object({ push: z.boolean() })),
};
const RepositoryAnswer = z.object(repositoryShape);

export function repositoryOf(one: z.infer<typeof RepositoryAnswer>): ForgeRepository {
  const { full_name: path, clone_url: url, private: isPrivate, default_branch: defaultBranch } = one;
  return { path, url, isPrivate, defaultBranch, about: shortened(one.description) };
}

/** On GitHub a pull request is also an issue; `pull_request` tells them apart. */
export const IssueAnswer = z.object({
  number: z.number(),
  title: z.string(),
  html_url: z.string(),
  body: z.nullish(z.string()),
  pull_request: z.optional(z.unknown()),
});

export function issueOf({ number, title, html_url: url, body }: z.infer<typeof IssueAnswer>): ForgeIssue {
  return { number, title, url, text: bounded(optionalText(body)) };
}
