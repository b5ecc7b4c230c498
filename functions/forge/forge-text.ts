// Text exchanged with a forge: names in URLs, and the size of what people wrote there.

/** Limits comments and issues: people rarely read longer ones on a phone, and a model is paid for every token. */
const textChars = 10_000;
const shortChars = 200;

/** "owner/name", or a branch, as path segments. */
export function pathInUrl(repository: string): string {
  return repository.split("/").map(encodeURIComponent).join("/");
}

export function optionalText(text: string | null | undefined): string {
  return text ?? "";
}

export function bounded(text: string): string {
  return text.length <= textChars ? text : `${text.slice(0, textChars)}…`;
}

/**
 * The title of a draft begins with `prefix` (`Draft: ` or `WIP: `) on forges that mark drafts in this way; any
 * other title has no such prefix.
 */
export function titled(prefix: string, title: string, draft: boolean): string {
  const plain = title.replace(/^(?:(?:draft|wip):\s*|[[(](?:draft|wip)[\])]\s*)+/i, "");
  return draft ? `${prefix}${plain}` : plain;
}

/** One line. */
export function shortened(text: string | null | undefined): string {
  const line = (text ?? "").replace(/\s+/g, " ").trim();
  return line.length <= shortChars ? line : `${line.slice(0, shortChars - 1)}…`;
}

/** The last lines of a hunk: what a comment on its end is about. */
export function hunkEnd(hunk: string): string {
  return bounded(hunk.split("\n").slice(-8).join("\n"));
}
