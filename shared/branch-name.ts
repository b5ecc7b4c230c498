// Names for the branches of sessions.

/** Every session's branch name begins with this. */
export const branchPrefix = "handrail/";

/**
 * `handrail/` and up to 40 characters of the words in the title's first line; `handrail/session` if it has no words.
 */
export function branchNameOf(title: string): string {
  const words = title
    .trim()
    .replace(/\n.*/s, "")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const short = `${words}-`.slice(0, 41).replace(/-[^-]*$/, "") || words.slice(0, 40);
  return `${branchPrefix}${short || "session"}`;
}
