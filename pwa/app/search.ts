// Searches the text of all sessions. The text is read once per visit and kept until its session changes.
import { signal } from "@preact/signals";
import type { Kv } from "../storage/kv.ts";
import { readSaid, type Said } from "../storage/said-text.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { plainWords, planInWords, withoutStepIds } from "../words/plain-words.ts";

export interface SearchHit {
  record: SessionRecord;
  /** The newest message that contains the words; null if they are only in the session's name. */
  place: (Omit<Said, "text"> & { before: string; match: string; after: string }) | null;
  /** The number of messages that contain the words. */
  count: number;
}

export interface SearchResult {
  words: string;
  found: readonly SearchHit[];
  /** The number of sessions that were not read yet. */
  left: number;
}

export const searchResult = signal<SearchResult>({ words: "", found: [], left: 0 });

interface Indexed {
  updatedAt: number;
  said: readonly (Said & { folded: string })[];
}

const texts = new Map<string, Indexed>();
const contextChars = 36;

/**
 * Returns `text` in lower case and without accents. The result has the same length, so that positions are the same in
 * both.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  const plain = Array.from(lower, (char) => char.normalize("NFD").charAt(0) || char);
  const folded = plain.join("");
  return folded.length === text.length ? folded : lower.length === text.length ? lower : text;
}

/** The words of the search, folded. */
export function searchWords(needle: string): string[] {
  return fold(needle).split(/\s+/).filter(Boolean);
}

/** Returns the matches if one message contains all of `words`. */
export function findIn(
  record: SessionRecord,
  said: Indexed["said"],
  words: readonly string[],
): SearchHit | undefined {
  const hits = said.filter(({ folded }) => words.every((word) => folded.includes(word)));
  const newest = hits.at(-1);
  if (newest !== undefined) return { record, place: placeIn(newest, words), count: hits.length };
  const name = fold(`${record.title} ${record.workspace} ${record.summary.text}`);
  return words.every((word) => name.includes(word)) ? { record, place: null, count: 0 } : undefined;
}

function placeIn({ text, folded, ...said }: Indexed["said"][number], words: readonly string[]) {
  const first = words.reduce((a, b) => (b.length > a.length ? b : a), "");
  const at = folded.indexOf(first);
  const end = at + first.length;
  const from = Math.max(0, at - contextChars);
  const begin = from === 0 ? 0 : text.indexOf(" ", from) + 1 || from;
  return {
    ...said,
    before: (begin > 0 ? "…" : "") + plainWords(text.slice(Math.min(begin, at), at)),
    match: plainWords(text.slice(at, end)),
    after:
      plainWords(text.slice(end, end + 2 * contextChars)) + (text.length > end + 2 * contextChars ? "…" : ""),
  };
}

/** Searches `records` for the words of `needle` and shows matches as they are found. A later call ends this one. */
export async function search(
  kv: Kv,
  records: readonly SessionRecord[],
  needle: string,
  over: AbortSignal,
): Promise<void> {
  const words = searchWords(needle);
  const found: SearchHit[] = [];
  const show = (left: number) => {
    searchResult.value = { words: needle, found: [...found], left };
  };
  let shown = 0;
  for (const [index, record] of records.entries()) {
    const hit = findIn(record, await textOf(kv, record), words);
    if (over.aborted) return;
    if (hit !== undefined) found.push(hit);
    // Do not redraw for every session: show the first screen, then update now and then.
    if (index - shown < (found.length < 8 ? 8 : 64)) continue;
    shown = index;
    show(records.length - index - 1);
  }
  show(0);
}

/** Prepares a text for the search, without words that the screen does not show. */
export function indexed(each: Said): Indexed["said"][number] {
  const text = each.who === "Plan" ? planInWords(each.text) : withoutStepIds(each.text);
  return { ...each, text, folded: fold(text) };
}

async function textOf(kv: Kv, { id, updatedAt }: SessionRecord): Promise<Indexed["said"]> {
  const known = texts.get(id);
  if (known?.updatedAt === updatedAt) return known.said;
  const said = (await readSaid(kv, id)).map(indexed);
  texts.set(id, { updatedAt, said });
  return said;
}
