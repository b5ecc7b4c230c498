// Knows which sessions this tab has open. Each is opened once and held until it is released.
import type { ModelRef, TurnEvent } from "../../shared/event.ts";
import { loadCode } from "../browser/load-code.ts";
import { helpersOf } from "../session/helpers-of.ts";
import type { HeldSession } from "../session/hold-session.ts";
import type { Draft } from "../storage/draft.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { api, config, kv, otherTabs, records, settings } from "./app-state.ts";
import { keepUnkeptChoices } from "./keep-choice.ts";

/** Events of a session that another tab received. */
export interface Heard {
  heard: string;
  events: readonly TurnEvent[];
}

/** Text that was typed in a tab that is no longer the writer. */
export interface Typed {
  typed: string;
  draft: Draft;
}

const open = new Map<string, Promise<HeldSession | undefined>>();

export function openSession(id: string): Promise<HeldSession | undefined> {
  const known = open.get(id);
  if (known !== undefined) return known;
  const held = hold(id);
  open.set(id, held);
  // If the session's code could not be loaded, the next attempt to open the session loads it again.
  held.catch(() => open.delete(id));
  return held;
}

async function hold(id: string): Promise<HeldSession | undefined> {
  const { holdSession } = await loadCode(() => import("../session/hold-session.ts"));
  const held = await holdSession(id, {
    kv,
    api,
    serves,
    mcp: () => settings.value.mcp,
    explore: () => helpersOf(settings.value, config.value),
    client: () => settings.value.client,
    onRecord: listRecord,
    onSaved: (saved) => otherTabs.postMessage(saved),
    onEvents: (heard, events) => otherTabs.postMessage({ heard, events } satisfies Heard),
    onHandOver: (typed, draft) => otherTabs.postMessage({ typed, draft } satisfies Typed),
  });
  if (held === undefined) open.delete(id);
  return held;
}

function serves(): ModelRef | null {
  const provider = config.value?.providers[0];
  const model = provider?.models[0];
  return provider && model ? { provider: provider.id, id: model.id } : null;
}

/** Shows `record` in the list; a deleted one is not shown. */
export function listRecord(record: SessionRecord): void {
  const others = records.value.filter((other) => other.id !== record.id);
  const shown = record.deletedAt === undefined ? [record, ...others] : others;
  records.value = shown.sort((a, b) => b.updatedAt - a.updatedAt);
}

/** Returns the session if this tab already holds it. */
export function heldSession(id: string): Promise<HeldSession | undefined> | undefined {
  return open.get(id);
}

/** Releases a session that will be deleted: none of it is followed or stored any more. */
export async function letGo(id: string): Promise<void> {
  const held = await open.get(id)?.catch(() => undefined);
  open.delete(id);
  held?.session.becomeReader();
  held?.lock.release();
}

export async function letGoOfAll(): Promise<void> {
  await Promise.all([...open.keys()].map(letGo));
}

/** Stores all typed text. Once this resolves, the page may be reloaded. */
export async function saveDrafts(): Promise<void> {
  for await (const { session } of openSessions()) await session.saveDraft();
}

/** Stores everything that storage refused before, now that the person has made room. */
export async function saveWhatWaits(): Promise<void> {
  for await (const { session } of openSessions()) await session.saveAgain();
  await keepUnkeptChoices();
}

/** Ids of the sessions that are open or being opened. */
export function openIds(): ReadonlySet<string> {
  return new Set(open.keys());
}

/** The sessions that are open, without those that could not be opened. */
export async function* openSessions(): AsyncGenerator<HeldSession> {
  for (const held of open.values()) {
    const opened = await held.catch(() => undefined);
    if (opened !== undefined) yield opened;
  }
}
