// Decides whether a person's words ask for commits. In auto mode the model commits only if they do.

/** Words for actions that create a commit, in languages that borrow git's own words. */
const wanted =
  /commit|einchecken|check(ed)? (it |this |them )?in\b|\bmerge|cherry-?pick|\brevert|pull request|\bPR\b|\bpush\b/i;
/** Matches "do not commit", "nothing is pushed", "ohne Commit": a negation with such a word before the next comma. */
const unwanted =
  /\b(do(es)?n['’]?t|do not|not|never|without|no|nothing|nobody|nicht|nichts|kein\w*|ohne|nie)\b[^.,;:!?\n]{0,40}?(commit|einchecken|check(ed)? (it |this |them )?in\b|merg|cherry-?pick|revert|pull request|\bPR\b|push)[^.,;:!?\n]*/gi;

/**
 * Parts of a message that the person did not write: the text that a comment quotes, fenced text such as an issue or the
 * log of a check, the location of a commented line, the subject of "Fix this", and a file that is taken as a plan.
 */
const others =
  /^(~{3,}(?!~)|`{3,}(?!`))[^\n]*\n[\s\S]*?(?:^\1[ \t]*$|$(?![\s\S]))|^>.*$|“[^“”]*”|^On (?:“[^“”]*”|[^:\n“])*:|^`[^`\n]*`, line \d+.*:$|^(The check|A review comment)\b.* of pull request #\d+ |^Take .* as the plan\.$/gm;

export function asksForCommits(text: string): boolean {
  return wanted.test(text.replace(others, "").replace(unwanted, ""));
}

/** The `risk` under which the sandbox's journal keeps this among its grants. */
export const commitsAsked = "commits";
