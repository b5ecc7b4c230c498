// The sessions of this server (PROTOCOL 3.2): their list, and one session as its journals have it, in the form of an
// export. It is loaded on demand, so it does without zod, which would become a separate file.
import { isDurable, type JournalEvent, parseTurnEvent } from "../../shared/event.ts";
import type {
  HistoryPart,
  MissingEvents,
  SessionHistory,
  SessionList,
  SessionRow,
} from "../../shared/history.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { emptySession, type SessionHead } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { titleFrom, titleOfGoal } from "../../shared/session/title.ts";
import type { StoredTurn } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";

/**
 * The part of the history after the place `after` (`TURN.EVENT` or `TURN.EVENT.SEEN`). With `waitMs`, an empty part is
 * returned only if for that long nothing was recorded and no other device wrote notes; `client` is the device that
 * asks, and has the notes with the mark `known`. Throws `history_differs` for a place that the journals do not have.
 */
export async function sessionHistory(
  { sandbox, now }: Pick<Deps, "sandbox" | "now">,
  id: string,
  asked: Partial<Record<"after" | "waitMs" | "client" | "known", string | undefined>>,
  signal: AbortSignal,
): Promise<SessionHistory> {
  const { after, waitMs = "0", client, known } = asked;
  const [turn, from = "0", seen] = after?.split(".") ?? [];
  const place = turn ? { turn, after: from, ...(seen && { seen }) } : {};
  const device = { ...(client && { client }), ...(known && { known }) };
  const query = new URLSearchParams({ ...place, waitMs, ...device });
  const part = await sandbox.history(id, `${query}`, signal);
  const { workspace, createdAt, updatedAt, events, last, more, notes } = part;
  const head = headOf(part);
  const summary = sessionSummary({ ...emptySession(), head });
  const record = {
    ...{ id, sandboxId: id, title: notes?.title ?? titleOf(part), workspace, createdAt, summary },
    updatedAt: Math.max(createdAt, updatedAt),
  };
  return {
    ...{ handrail: "sessions", version: 1, exportedAt: now() },
    sessions: [{ record, head, entries: entriesOf(events) }],
    after: last ? [last.turnId, last.after, ...(last.seen ? [last.seen] : [])].join(".") : null,
    more,
    ...(notes && { notes }),
    missing: missingIn(part, turn, Number(from)),
  };
}

/** The entries as they were journaled: fields that readers of an export do not know are kept. */
function entriesOf(events: HistoryPart["events"]): object[] {
  return events
    .filter(({ event }) => event !== "plan")
    .map(({ turnId, id, event, data }) => ({ turnId, id, event, data }));
}

/** Current state and open questions at the end of the history; its counts cover only the entries of this part. */
function headOf({ events, now, last }: HistoryPart): SessionHead {
  // A part may begin in the middle of a turn.
  const counted = events
    .filter(({ event }) => event !== "plan")
    .flatMap(parsed)
    .reduce(reduce, emptySession()).head;
  const { mode, plan, model, toolProtocol, asked, permission, alsoAsked, proposal, ...end } = now
    .flatMap(parsed)
    .reduce(reduce, emptySession()).head;
  const turn = end.turn && (last?.turnId === end.turn.id ? { ...end.turn, ...cursorOf(last) } : end.turn);
  return { ...counted, mode, plan, turn, model, toolProtocol, asked, permission, alsoAsked, proposal };
}

function cursorOf({ after: lastEventId, seen }: StoredTurn): { lastEventId: number; seen?: string } {
  return { lastEventId, ...(seen ? { seen } : {}) };
}

function parsed({ event, data, id }: JournalEvent) {
  try {
    const known = parseTurnEvent(event, data, id);
    return known && isDurable(known) ? [known] : [];
  } catch {
    // An earlier version wrote it in another form.
    return [];
  }
}

/** Ids of events that the journals no longer contain. `turn`, `from`: the place at which the part begins. */
function missingIn(
  { events, last, more }: HistoryPart,
  turn: string | undefined,
  from: number,
): MissingEvents[] {
  const missing: MissingEvents[] = [];
  let [turnId, reached] = [turn ?? "", from];
  const reach = (of: string, id: number) => {
    if (of !== turnId) [turnId, reached] = [of, 0];
    if (id > reached) missing.push({ turnId, from: reached + 1, through: id });
    reached = Math.max(id, reached);
  };
  for (const { turnId: of, id } of events) {
    reach(of, id - 1);
    reached = id;
  }
  if (last && !more) reach(last.turnId, last.after);
  return missing;
}

/** `after`: the `next` of a previous list. */
export async function sessionList(sandbox: Deps["sandbox"], after: string | undefined): Promise<SessionList> {
  const { rows, next = null } = await sandbox.list(after ?? "");
  const sandboxes = rows.map(({ id: sandboxId, said, goal, title, stage: state, ...row }) => {
    const updatedAt = Math.max(row.createdAt, row.updatedAt);
    return { sandboxId, title: title ?? titleOf({ said, goal }), state, ...row, updatedAt };
  });
  return { sandboxes, next };
}

/** The model's name for the work, or otherwise the first message; "" if there is none. */
export function titleOf({ said, goal }: Pick<SessionRow, "said" | "goal">): string {
  return titleOfGoal(goal) ?? (said === "" ? "" : titleFrom(said));
}
