// Whether the person asked for commits: in their own words, or in a plan that they approved.
import type { ToolState } from "./tool-turn.ts";

/** Words for what ends in a commit, in the languages that use git's own. */
const wanted =
  /commit|committ|einchecken|check(ed)? (it |this |them )?in\b|\bmerge|cherry-?pick|\brevert|pull request|\bPR\b|\bpush\b/i;

export function asksForCommits({ history, plan }: Pick<ToolState, "history" | "plan">): boolean {
  const said = history.some((message) => message.role === "user" && wanted.test(textOf(message.content)));
  const agreed =
    plan !== null && /^(approved|executing|done)$/.test(plan.status) && wanted.test(plan.markdown);
  return said || agreed;
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
