// Names of the branches that sessions have.

/** What each of them begins with. */
export const branchPrefix = "handrail/";

/** `handrail/` and up to 40 characters of the title's words; `handrail/session` where it has none. */
export function branchNameOf(title: string): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return `${branchPrefix}${words === "" ? "session" : words}`;
}
