// Names of the branches that sessions have.

/** The prefix of each of them. */
export const branchPrefix = "handrail/";

/** `handrail/` and the words of its first line in up to 40 characters; `handrail/session` if it has none. */
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
