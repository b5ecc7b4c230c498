// Decides whether a person's words ask for commits. In auto mode the model commits only if they do.

/** Words for actions that create a commit, in languages that borrow git's own words, whatever else they mean. */
const actions = String.raw`commit|einchecken|check(ed)? (it |this |them )?in\b|\bmerg|cherry-?pick|\brevert|pull request|\bPR\b|\bpush`;
const mentioned = new RegExp(actions, "i");
/**
 * Such words where they mean git: "push it" and "merge into main", but not "merge sort", "push to the array" or "look at
 * PR 12". A wish that this misses costs one question in auto mode.
 */
const wanted = new RegExp(
  [
    String.raw`commit|einchecken|cherry-?pick|git (merge|push|revert)|\brevert [0-9a-f]{7}`,
    String.raw`\bcheck(ed)? (it |this |them |the changes )in\b`,
    String.raw`\b(?<!(the|a|on) )(merge|push( (it|this|that|them|all|everything|(the|your|my|all) (changes|work|fix)))?)(?= *([.,;:!?)\n]|$)| (when|once|after|now|please)\b)`,
    String.raw`\b(merge|push)\b[^.,;:!?\n]{0,40} (branch|remote|origin|upstream|github|gitlab|worktree|pull request|(in)?to (main|master)|PR\b)`,
    String.raw`\b(open|make|create|raise|submit|send|as|into)( (me|an?|the|another|new|draft))* (pull request|PR)\b(?! ?#?\d| (title|page|list))`,
  ].join("|"),
  "i",
);
/** Matches "do not commit", "nothing is pushed", "ohne Commit": a negation with such a word before the next comma. */
const unwanted = new RegExp(
  String.raw`\b(do(es)?n['’]?t|do not|not|never|without|no|nothing|nobody|nicht|nichts|kein\w*|ohne|nie)\b[^.,;:!?\n]{0,40}?(${actions})[^.,;:!?\n]*`,
  "gi",
);

/**
 * Parts of a message that the person did not write: the text that a comment quotes, fenced text such as an issue or the
 * log of a check, the location of a commented line, the subject of "Fix this", and a file that is taken as a plan.
 */
const others =
  /^(~{3,}(?!~)|`{3,}(?!`))[^\n]*\n[\s\S]*?(?:^\1[ \t]*$|$(?![\s\S]))|^>.*$|“[^“”]*”|^On (?:“[^“”]*”|[^:\n“])*:|^`[^`\n]*`, line \d+.*:$|^(The check|A review comment)\b.* of pull request #\d+ |^Take .* as the plan\.$/gm;

export function asksForCommits(text: string): boolean {
  return wanted.test(own(text));
}

/** Whether the words name such an action at all: enough to offer the person a sheet. */
export function mentionsCommits(text: string): boolean {
  return mentioned.test(own(text));
}

function own(text: string): string {
  return text.replace(others, "").replace(unwanted, "");
}

/** The `risk` under which the sandbox's journal keeps this among its grants. */
export const commitsAsked = "commits";
