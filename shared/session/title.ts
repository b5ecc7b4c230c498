// A session's name: the first request, shortened, until the model has named it.

const maxTitleChars = 48;

/** The first sentence of `text` without `/plan`, cut at a word if it is long. */
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

/** The longest goal that is a title as it is; of a longer one the first part, if that is not too short. */
const maxGoalChars = 64;

/** The goal of a plan as a title and the line that says more; `rest` is "" if there is none. */
export function goalParts(goal: string): { title: string; rest: string } {
  const [title = "", ...rest] = goal
    .replace(/^#+\s*/, "")
    .trim()
    .split("\n");
  return { title: title.trim(), rest: rest.join("\n").trim() };
}

/** A first part that is shorter says too little. */
const minGoalChars = 16;

/**
 * What the model calls the work, or the first part of it where that is too long for the list: up to a bracket, a comma or
 * a stop. undefined = the name stays.
 */
export function titleOfGoal(goal: string): string | undefined {
  const title = goalParts(goal).title.replaceAll("`", "").replace(/[.:]$/, "");
  if (title.length <= maxGoalChars) return title === "" ? undefined : title;
  const part = title.split(/ \(|[,;:.](?= )| [–—] /, 1)[0] ?? "";
  return part.length >= minGoalChars && part.length <= maxGoalChars ? part : undefined;
}
