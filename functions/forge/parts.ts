// A pull request is read in parts that need different permissions: the phone names the parts that a token may not
// read, and shows the rest.
import type { MergeMethod, PullCheck, PullComment, PullRequest, PullReview } from "../../shared/forge.ts";
import type { ItemList } from "./forge.ts";
import { orElse, unseen } from "./forge-error.ts";

type PartName = "checks" | "reviews" | "comments";

/** Throws errors that are not about missing rights: a rate limit, a forge that is down. */
export async function partsOf(
  checks: Promise<ItemList<PullCheck>>,
  reviews: Promise<ItemList<PullReview>>,
  comments: Promise<ItemList<PullComment>>,
): Promise<Pick<PullRequest, PartName | "truncated" | "missing">> {
  const all = await Promise.all([
    allowed("checks", checks),
    allowed("reviews", reviews),
    allowed("comments", comments),
  ]);
  const [one, two, three] = all;
  return {
    ...{ checks: one.items, reviews: two.items, comments: three.items },
    truncated: all.some(({ truncated }) => truncated),
    missing: all.flatMap(({ missing = [] }) => missing),
  };
}

function allowed<T>(
  name: PartName,
  answer: Promise<ItemList<T>>,
): Promise<ItemList<T> & { missing?: PartName[] }> {
  return orElse(answer, unseen, () => ({ items: [], truncated: false, missing: [name] }));
}

/** A forge does not tell people without push access which merge methods it allows, so all are offered. */
export function methodsOf(...may: readonly (boolean | undefined)[]): MergeMethod[] {
  return (["merge", "squash", "rebase"] as const).filter((_, at) => may[at] ?? true);
}
