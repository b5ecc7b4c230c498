// A pull request is read in parts, by rights of their own: what a token may not read is said, and the rest is shown.
import { reasonOf } from "./forge-error.ts";

type PartName = "checks" | "reviews" | "comments";

/** Throws what is no want of a right: a limit, a forge that is down. */
export async function allowed<T>(
  name: PartName,
  answer: Promise<T>,
): Promise<{ value?: T; missing: PartName[] }> {
  try {
    return { value: await answer, missing: [] };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === "rights" || reason === "missing") return { missing: [name] };
    throw error;
  }
}
