// Sessions that this server has and this device does not: lists them, and copies one to this device.
import * as z from "zod/mini";
import { SessionHistory, SessionList, type SessionOnServer } from "../../shared/history.ts";
import { isObject } from "../../shared/is-record.ts";
import { emptySession, type SessionState } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { api, kv, servedByDemo } from "../app/app-state.ts";
import { whereaboutsOf } from "../app/create-session.ts";
import { newId } from "../browser/ids.ts";
import { withHistory } from "../session/with-history.ts";
import { emptyDraft } from "../storage/draft.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { storeSession } from "./store-session.ts";

/** Sessions with messages that are neither on this device nor in its bin; latest change first. */
export async function sessionsElsewhere(signal: AbortSignal): Promise<SessionOnServer[]> {
  const found: SessionOnServer[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const query: string = next === "" ? "" : `?after=${next}`;
    const list: SessionList = z.parse(
      SessionList,
      await (await api.send(`/sandboxes${query}`, { signal })).json(),
    );
    found.push(...list.sandboxes);
    next = list.next;
  }
  const here = await sandboxesHere();
  return found.filter(({ sandboxId, title }) => title !== "" && !here.has(sandboxId));
}

async function sandboxesHere(): Promise<Set<unknown>> {
  const records = await kv.range("session/");
  return new Set(records.map(([, record]) => (isObject(record) ? record.sandboxId : undefined)));
}

/**
 * Copies the whole session to this device and returns its id. `onPart` is called with the number of entries so far.
 * Throws an Error with words for the person.
 */
export async function fetchSession(
  { sandboxId, title, workspace, createdAt, updatedAt }: SessionOnServer,
  onPart: (entries: number) => void,
): Promise<string> {
  const info = await api.sandbox(sandboxId);
  let state: SessionState = emptySession();
  let lost = 0;
  let notes: SessionHistory["notes"];
  for (let after: string | null = null; ; ) {
    const query: string = after === null ? "" : `?after=${after}`;
    const answer = await api.send(`/sandboxes/${sandboxId}/history${query}`);
    const part: SessionHistory = z.parse(SessionHistory, await answer.json());
    state = withHistory(state, part);
    lost += part.missing.length;
    notes = part.notes;
    onPart(state.entries.length);
    after = part.after;
    if (!part.more) break;
  }
  const record: SessionRecord = {
    id: sandboxId.length <= 64 ? sandboxId : newId(),
    ...{ title, sandboxId, workspace, createdAt, updatedAt },
    // Without `given`, the title counts as the person's own and stays.
    ...(notes?.title === undefined && { given: title }),
    summary: sessionSummary(state),
    demo: servedByDemo.value,
    ...whereaboutsOf(info),
    ...(info.state !== "ready" && { preparing: true }),
    // The history contains edits but not what commands wrote, so the changes have to be counted.
    uncounted: true,
    ...(lost > 0 && { incomplete: true }),
  };
  if (!(await sandboxesHere()).has(sandboxId))
    await storeSession(record, state, emptyDraft, notes?.undoPoints);
  return record.id;
}
