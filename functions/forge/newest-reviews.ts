// Reviews as they count: the newest of each person. A comment takes back neither an approval nor a refusal.
import type { PullReview } from "../../shared/forge.ts";

/** `reviews`: the oldest first. */
export function newestOfEach(reviews: readonly PullReview[]): PullReview[] {
  const newest = new Map<string, PullReview>();
  for (const review of reviews) {
    const before = newest.get(review.by);
    if (review.state === "commented" && before && before.state !== "commented") continue;
    newest.set(review.by, review);
  }
  return [...newest.values()];
}
