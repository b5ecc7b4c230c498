// Stores a session's head and entries: the head under one key, and the entries in segments of at most 64.
import * as z from "zod/mini";
import { parseEntry } from "../../shared/session/entry.ts";
import { reduce } from "../../shared/session/reduce.ts";
import {
  type Entry,
  emptySession,
  SessionHead,
  type SessionState,
} from "../../shared/session/session-state.ts";
import type { Kv } from "./kv.ts";
import type { OutboxTurn } from "./outbox.ts";
import { readRecord, recordKey, type SessionRecord } from "./session-record.ts";

/** The number of entries per segment: it limits how much a write rewrites and how much opening a session reads. */
export const segmentSize = 64;
const segmentsAtOpening = 3;

const headKey = (id: string) => `head/${id}`;
const segmentPrefix = (id: string) => `segment/${id}/`;
const segmentKey = (id: string, index: number) => `${segmentPrefix(id)}${String(index).padStart(6, "0")}`;

export type Put = readonly [string, unknown];

/**
 * The puts that make the stored head and entries equal to those of `state`, if its first `savedCount` entries are
 * stored already. They have to be written in one `kv.write`, so that events, segment and cursor agree.
 */
export function sessionPuts(record: SessionRecord, state: SessionState, savedCount: number): Put[] {
  const { head, entries } = state;
  const puts: Put[] = [
    [recordKey(record.id), record],
    [headKey(record.id), head],
  ];
  const first = head.entryCount - entries.length;
  for (let at = savedCount - (savedCount % segmentSize); at < head.entryCount; at += segmentSize) {
    if (at < first) throw new Error("A segment cannot be written without its beginning.");
    puts.push([segmentKey(record.id, at / segmentSize), entries.slice(at - first, at - first + segmentSize)]);
  }
  return puts;
}

export interface LoadedSession {
  record: SessionRecord;
  state: SessionState;
  /** Entries that could not be parsed; their segments are kept under `quarantine/`. */
  unreadable: number;
}

/**
 * The session with its newest segments; undefined if it does not exist. A lost head is computed again from the entries.
 */
export async function loadSession(kv: Kv, id: string): Promise<LoadedSession | undefined> {
  const [record, storedHead] = await Promise.all([readRecord(kv, id), kv.get(headKey(id))]);
  if (record === undefined) return undefined;
  const parsed = z.safeParse(SessionHead, storedHead);
  if (!parsed.success) {
    const keys = (await kv.range(segmentPrefix(id))).length;
    const { entries, unreadable } = await readSegments(kv, id, 0, keys, keys * segmentSize);
    return { record, state: { ...entries.reduce(reduce, emptySession()), entries }, unreadable };
  }
  const head = parsed.data;
  const last = Math.ceil(head.entryCount / segmentSize);
  const from = Math.max(0, last - segmentsAtOpening);
  const { entries, unreadable } = await readSegments(kv, id, from, last, head.entryCount);
  return { record, state: { ...emptySession(), head, entries }, unreadable };
}

/** The entries before those of `state`, from `segments` segments (by default all). */
export async function loadEarlier(
  kv: Kv,
  id: string,
  state: SessionState,
  segments = Infinity,
): Promise<Entry[]> {
  const first = Math.floor((state.head.entryCount - state.entries.length) / segmentSize);
  return (await readSegments(kv, id, Math.max(0, first - segments), first, first * segmentSize)).entries;
}

/**
 * Returns whether two states are equal, so that the one in memory can stay. Compares them as storage returns them: for
 * a state that was folded since, the answer may be no although it is equal.
 */
export function isSameState(a: SessionState, b: SessionState): boolean {
  const [last, other] = [a.entries.at(-1), b.entries.at(-1)];
  const together = last?.turnId === other?.turnId && last?.id === other?.id;
  return together && JSON.stringify(a.head) === JSON.stringify(b.head);
}

/**
 * The entries that a turn's request contains, in order: those up to `historyCount`, or for a long session the recorded
 * ones. Only entries that are not in memory are read.
 */
export async function loadForTurn(
  kv: Kv,
  id: string,
  state: SessionState,
  { historyCount, posted }: Pick<OutboxTurn, "historyCount" | "posted">,
): Promise<Entry[]> {
  const { from, firstUser, plan } = posted ?? { from: 0, firstUser: null, plan: [] };
  const early = [...new Set([firstUser ?? from, ...plan])].filter((place) => place < from);
  const places = [...early.sort((a, b) => a - b), ...placesBetween(from, historyCount)];
  const first = state.head.entryCount - state.entries.length;
  const stored = new Map<number, Entry>();
  const segments = new Set(places.filter((place) => place < first).map((at) => Math.floor(at / segmentSize)));
  await Promise.all(
    [...segments].map(async (index) => {
      const { entries } = await readSegments(kv, id, index, index + 1, (index + 1) * segmentSize);
      for (const [at, entry] of entries.entries()) stored.set(index * segmentSize + at, entry);
    }),
  );
  return places.flatMap((place) => (place < first ? stored.get(place) : state.entries[place - first]) ?? []);
}

function placesBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

/** The state without early entries, which are read again when needed. The remaining ones begin with a segment. */
export function withoutEarlier(state: SessionState): SessionState {
  const first = state.head.entryCount - state.entries.length;
  const keep = (Math.ceil(state.head.entryCount / segmentSize) - segmentsAtOpening) * segmentSize;
  return keep <= first ? state : { ...state, entries: state.entries.slice(keep - first) };
}

async function readSegments(kv: Kv, id: string, from: number, to: number, entryCount: number) {
  const keys = Array.from({ length: Math.max(0, to - from) }, (_, index) => segmentKey(id, from + index));
  const values = await kv.getMany(keys);
  const entries: Entry[] = [];
  let unreadable = 0;
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    const list: unknown[] = Array.isArray(value) ? value : [];
    const whole = Math.min(segmentSize, entryCount - (from + index) * segmentSize);
    const size = Array.isArray(value) && index === keys.length - 1 ? list.length : whole;
    const read = Array.from({ length: size }, (_, at) => parseEntry(list[at]));
    const lost = read.filter((entry) => entry === undefined).length;
    if (lost > 0 && value !== undefined) await kv.write([[`quarantine/${key}`, value]]);
    unreadable += lost;
    entries.push(...read.map((entry) => entry ?? unreadableEntry));
  }
  return { entries, unreadable };
}

/**
 * Takes the place of an entry that could not be read, so that the others keep their numbers. It says nothing about the
 * session and belongs to no turn.
 */
const unreadableEntry: Entry = {
  turnId: "",
  id: 1,
  event: "ledger",
  data: { decisions: [], updates: [], text: "" },
};

/** Returns whether `entry` is the placeholder for an entry that could not be read. */
export function isUnreadable({ turnId }: Entry): boolean {
  return turnId === "";
}

/** Removes everything of a session; `puts` are written in the same step that removes its record. */
export async function deleteSession(kv: Kv, id: string, puts: readonly Put[] = []): Promise<void> {
  await kv.clear(segmentPrefix(id));
  await kv.write(puts, [recordKey(id), headKey(id), `outbox/${id}`, `draft/${id}`, `answer/${id}`]);
}
