// What buttons tell the agent in the person's name. The agent's own words in it, such as a command, are quoted, so that
// they do not count as the person's request (shared/asks-for-commits.ts). Pure.

export function runAgain(command: string): string {
  return `The network is open for this command now. Run it again as it was.\n\n${asQuote(command)}`;
}

export function reportAgain(stepId: string): string {
  return `Report step ${quoted(stepId)} done again, so that its check runs once more.`;
}

export function checkAgain(stepId: string): string {
  return `The network is open for the check of step ${quoted(stepId)} now. ${reportAgain(stepId)}`;
}

/** `until`: for how long. `again`: what to do. */
export function hostAllowed(host: string, until: string, again: string): string {
  return `I allowed ${quoted(host)} ${until}. ${again}`;
}

export function findOutWhether(what: string): string {
  return `It is not known whether this ran, in part or whole. Find out by looking, without running it again. Then say what you found and what is left to do.\n\n${asQuote(what)}`;
}

/** The rebase becomes a plan of its own: it runs only after the person has approved it. */
export function rebasePlan(branch: string, commit: string, host = "the remote"): string {
  return `/plan Rebase ${quoted(branch)} onto ${quoted(commit)}, the newest state of it on ${quoted(host)}, which has work that is not here. It is fetched already; there is no network for git. Say what is different on both sides, resolve conflicts so that both keep what they meant, and run the project's checks afterwards. Do not push.`;
}

/** `into`: the branch or folder that was merged. */
export function resolveConflicts(into: string, paths: readonly string[]): string {
  return `Merging ${quoted(into)} into this worktree left conflicts in ${paths.map(quoted).join(", ")}. Resolve them: keep what both sides meant, and leave no conflict marks. Do not commit.`;
}

/** Quotes every line of `text`, counting every character that ends a line in a pattern or on a screen. */
export function asQuote(text: string): string {
  return text
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join("\n");
}

function quoted(text: string): string {
  return `“${text.replace(/[“”]/g, "")}”`;
}
