// The name of a session: the shortened first request until the model has named it.

const maxTitleChars = 48;

/** The first sentence of `text` without `/plan`; if it is long, it is cut between words. */
export function titleFrom(text: string): string {
  const line =
    text
      .replace(/^\/plan\s+/, "")
      .replaceAll("`", "")
      .trim()
      .split("\n", 1)[0] ?? "";
  const sentence = /^.{12,}?[.!?:;](?=\s)/.exec(line)?.[0].slice(0, -1);
  if (sentence !== undefined && sentence.length <= maxTitleChars) return sentence;
  if (line.length <= maxTitleChars) return line.replace(/[.:]$/, "") || "New session";
  const cut = line.slice(0, maxTitleChars);
  const space = cut.lastIndexOf(" ");
  return `${(space > 20 ? cut.slice(0, space) : cut).replace(/[.,:;]$/, "")}…`;
}

/**
 * The longest goal that is used as the title unchanged. From a longer one, the first part is used if it is long enough.
 */
const maxGoalChars = 64;

/** Splits a plan's goal into a title and a line with the rest; `rest` is "" if there is none. */
export function goalParts(goal: string): { title: string; rest: string } {
  const [title = "", ...rest] = goal
    .replace(/^#+\s*/, "")
    .trim()
    .split("\n");
  return { title: title.trim(), rest: rest.join("\n").trim() };
}

/** A shorter first part says too little for a title. */
const minGoalChars = 16;

/**
 * The model's name for the work. If it is too long for the list, its first part is used: up to a bracket, a comma or a
 * full stop. undefined = the name does not change.
 */
export function titleOfGoal(goal: string): string | undefined {
  const title = goalParts(goal).title.replaceAll("`", "").replace(/[.:]$/, "");
  if (title.length <= maxGoalChars) return title === "" ? undefined : title;
  const part = title.split(/ \(|[,;:.](?= )| [–—] /, 1)[0] ?? "";
  return part.length >= minGoalChars && part.length <= maxGoalChars ? part : undefined;
}
