// Finds the `old` text of a replace_text in the base: its exact matches, or the reason why none can be used. Similar
// lines are only shown to the model; text is never replaced because it is similar.
import type { Edit } from "./edit.ts";
import { type FlatText, type Occurrence, occurrences } from "./find-text.ts";
import { withoutPrefixes } from "./payload.ts";
import type { PlanOptions } from "./plan-edits.ts";
import type { Problem, Span } from "./problem.ts";
import type { TextLines } from "./text.ts";

type TextEdit = Extract<Edit, { op: "replace_text" }>;

export type TextMatch =
  | { ok: true; matches: Occurrence[] }
  | { ok: false; matches: []; problem: Omit<Problem, "edit"> };

/** How many matches of an ambiguous text are shown in full, and how many are listed by line number. */
const shownMatches = 4;
const namedMatches = 8;

/** The most matches to collect, since each takes memory until all are checked; no real edit has that many. */
const maxMatches = 200_000;

/**
 * `flat` is the base. Returns exactly one match unless `all`. Row prefixes that were copied into `old` are ignored if
 * they are genuine.
 */
export function matchText(edit: TextEdit, flat: FlatText, base: TextLines, options: PlanOptions): TextMatch {
  const written = edit.old.replaceAll("\r\n", "\n");
  if (written === "") {
    return none(
      "not_found",
      "`old` is empty; to add lines use insert_before, insert_after, append or prepend",
    );
  }
  const bare = flat.text.includes(written) ? null : withoutPrefixes(written.split("\n"), base.lines);
  const old = bare?.join("\n") ?? written;
  const matches = occurrences(flat, old, edit.all === true, maxMatches + 1);
  if (matches.length > maxMatches) {
    const text = `\`old\` occurs in the file more than ${maxMatches} times; replace it with a command`;
    return none("ambiguous", text, matches.slice(0, shownMatches));
  }
  if (matches.length === 0) {
    const isInLive = options.live?.replaceAll("\r\n", "\n").includes(old) === true;
    const done = applied(edit, flat);
    const { show, alike } = landmark(done ? edit.new : old, flat);
    const text = isInLive
      ? "`old` does not occur in the version you mean; it does in the file as it is now, so give its version as base"
      : done
        ? "already applied: `old` is not in the file, and `new` is"
        : `\`old\` does not occur in the file, character for character${alike ? ": its indentation differs, or it holds row prefixes" : ""}`;
    return none("not_found", text, show);
  }
  if (matches.length > 1 && edit.all !== true) {
    const lines = matches.slice(0, namedMatches).map((match) => match.from + 1);
    const more = matches.length > namedMatches ? ", …" : "";
    const text = `\`old\` occurs in the file ${matches.length} times (lines ${lines.join(", ")}${more}); give more of the text around it, or \`all\``;
    return none("ambiguous", text, matches.slice(0, shownMatches));
  }
  return { ok: true, matches };
}

/** Whether the file already contains the new text, if that is longer than a few characters. */
function applied({ new: text }: TextEdit, flat: FlatText): boolean {
  const written = text.replaceAll("\r\n", "\n").trim();
  return written.length > 3 && flat.text.includes(written);
}

function none(reason: Problem["reason"], text: string, places: readonly Span[] = []): TextMatch {
  const show = places.map(({ from, to }) => ({ from, to }));
  return { ok: false, matches: [], problem: { reason, text, show } };
}

/**
 * The place that the model may have meant. This is the first line of `old` that occurs exactly once in the base,
 * ignoring spaces and row prefixes; failing that, the base line that shares most words with the longest line of `old`,
 * if it has more than half of them. `alike`: all of `old` is in the base except for spaces and prefixes.
 */
function landmark(old: string, flat: FlatText): { show: Span[]; alike: boolean } {
  const wanted = old.split("\n").map((line) => line.replace(/^\s*\d+\w*\|/, "").trim());
  const lines = flat.text.split("\n");
  const bare = lines.map((line) => line.trim());
  const places = new Map<string, number>();
  // A line that occurs twice does not identify a place.
  for (const [index, line] of bare.entries()) places.set(line, places.has(line) ? -1 : index);
  let at = wanted.findIndex((line) => line !== "" && (places.get(line) ?? -1) >= 0);
  let place = places.get(wanted[at] ?? "") ?? -1;
  if (at < 0) place = -1;
  if (place < 0) {
    const longest = wanted.reduce((one, other) => (other.length > one.length ? other : one));
    const words = [...new Set(longest.match(/\w+/g))];
    let most = words.length / 2;
    at = wanted.indexOf(longest);
    bare.forEach((line, index) => {
      const has = new Set(line.match(/\w+/g));
      const count = words.filter((word) => has.has(word)).length;
      if (count > most) [most, place] = [count, index];
    });
  }
  if (place < 0) return { show: [], alike: false };
  const from = Math.max(0, place - at);
  const to = Math.min(lines.length, from + wanted.length);
  return { show: [{ from, to }], alike: wanted.every((line, index) => line === bare[from + index]) };
}
