// Whether words of a person ask for commits: auto mode makes none that nobody asked for.

/** Words for actions that end in a commit, in languages that use git's own words. */
const wanted =
  /commit|einchecken|check(ed)? (it |this |them )?in\b|\bmerge|cherry-?pick|\brevert|pull request|\bPR\b|\bpush\b/i;
/** "Do not commit", "nothing is pushed", "ohne Commit", up to the next comma. */
const unwanted =
  /\b(do(es)?n['’]?t|do not|not|never|without|no|nothing|nobody|nicht|nichts|kein\w*|ohne|nie)\b[^.,;:!?\n]{0,40}?(commit|einchecken|check(ed)? (it |this |them )?in\b|merg|cherry-?pick|revert|pull request|\bPR\b|push)[^.,;:!?\n]*/gi;

/**
 * Parts of a message that are words of the model, of the repository or of others: the quoted text that a comment is
 * about, fenced text such as an issue or the log of a check, the place of a commented line, the subject of "Fix this",
 * and the file that is taken as a plan.
 */
const others =
  /^(~{3,}(?!~)|`{3,}(?!`))[^\n]*\n[\s\S]*?(?:^\1[ \t]*$|$(?![\s\S]))|^>.*$|“[^“”]*”|^On [^:\n]*:|^`[^`\n]*`, line \d+.*:$|^(The check|A review comment)\b.* of pull request #\d+ |^Take .* as the plan\.$/gm;

export function asksForCommits(text: string): boolean {
  return wanted.test(text.replace(others, "").replace(unwanted, ""));
}

/** The `risk` under which a sandbox's journal lists it among the grants. */
export const commitsAsked = "commits";
