// Decides who runs a turn: claims with rising epochs, which turn may resolve a proposal or an open call, and
// stop.

import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import type { ClaimRequest, ClaimResponse, PostedTurn, Steer } from "../../shared/journal.ts";
import type { NotifyOption } from "../../shared/push.ts";
import { CallResult } from "../../shared/sandbox.ts";
import { RunMode, type SteerRequest, type StoredTurn } from "../../shared/turn.ts";
import { checkNewest, checkSame, cutShort, setAside } from "../journal/same-history.ts";
import type { SandboxJournal } from "../journal/sandbox-journal.ts";
import { eventsOf, isStoppedEnding, type TurnLog } from "../journal/turn-log.ts";
import { waitAtMost } from "../wait-at-most.ts";

const RecordedResult = z.object({ message: z.object({ role: z.literal("tool"), toolCallId: z.string() }) });

/**
 * Claims the turn and returns everything needed to continue it. Throws `key_reused`, `stale_epoch`,
 * `stale_plan` or `history_differs` if the caller must not run it.
 */
export async function claimInJournal(
  journal: SandboxJournal,
  turnId: string,
  request: ClaimRequest,
): Promise<ClaimResponse> {
  const { posted, inputHash, epoch } = request;
  const before = journal.turn(turnId);
  // Stored before the claim, which reserves everything in one synchronous step. So a claimed turn always has
  // its request.
  if (posted && !before.finished && epoch > before.epoch)
    await journal.posted.keep(turnId, inputHash, posted);
  try {
    // Lines in memory that a full disk is about to reject must not cause the refusal of a claim.
    await journal.settled();
    return await claim(journal, turnId, request);
  } catch (error) {
    if (!journal.turn(turnId).opened) await journal.posted.drop(turnId);
    throw error;
  }
}

async function claim(journal: SandboxJournal, turnId: string, request: ClaimRequest): Promise<ClaimResponse> {
  const turn = journal.turn(turnId);
  checkInput(turn, request);
  const { client, after = 0, seen, stored, counts } = request;
  if (counts !== "client" && stored) checkSame(journal.turn(stored.turnId), stored);
  if (request.epoch <= turn.epoch) {
    throw new HandrailError(
      "stale_epoch",
      `Attempt ${request.epoch} is not above the last one. Follow the turn's events instead.`,
      {
        details: { epoch: turn.epoch },
      },
    );
  }
  const by = {
    ...(client === undefined ? {} : { client }),
    ...(after > 0 ? { after } : {}),
    ...(stored ? { stored } : {}),
  };
  if (counts === undefined) turn.checkCopied(after);
  const end = endOf(turn, { turnId, after, seen }, request);
  if (turn.finished || end) {
    // Recorded even for a finished turn, so that the next claim needs a higher epoch.
    const { epoch } = request;
    await journal.write(turn, [
      { type: "claim", epoch, ...by },
      ...(end ? [{ type: "record", events: [end] }] : []),
    ]);
    return soFar(journal, turn);
  }
  // A batch of calls may have named the turn before its runner claimed it. That granted nothing.
  const first = !turn.opened;
  if (first && stored?.newest && counts !== "client") checkNewest(journal.turns.values(), stored);
  if (first) checkFirst(journal, turn, request);
  const record = turn.lastEventId === 0 ? (request.record ?? []) : [];
  const recorded = record.length > 0 && (!turn.stopped || isStoppedEnding(record));
  if (recorded) turn.checkEvents(record);
  const { epoch, inputHash, resolves, alsoPermits, context, attends, plan } = request;
  const { run } = journal.facts.permissions;
  const closes = recorded ? closedCalls(record) : [];
  const line = {
    type: "claim",
    epoch,
    ...(inputHash ? { inputHash } : {}),
    ...by,
    ...(attends ? { attends: true } : {}),
    ...(request.posted === null ? { ownKey: true } : {}),
    ...(turn.copied ? { file: turn.file.own } : {}),
    ...(first && counts === "client" && plan === null ? { forgets: "plan" } : {}),
    ...(first && resolves ? { resolves } : {}),
    ...(first && alsoPermits ? { decides: alsoPermits.map(({ toolCallId }) => toolCallId) } : {}),
    ...(first && run ? { run } : {}),
    ...(closes.length > 0 ? { closes } : {}),
    ...(turn.context === undefined && context !== undefined ? { context } : {}),
  };
  // A client that continues the turn later may only want to follow it.
  if (first && client) journal.news.devices.writes(client);
  const written = journal.write(turn, [line, ...(recorded ? [{ type: "record", events: record }] : [])]);
  journal.turn(turnId).attendance.claimed();
  await written;
  return soFar(journal, turn);
}

/**
 * The event that ends the turn instead of running it: a journal line was lost, or the client's history
 * replaces ours.
 */
function endOf(
  turn: TurnLog,
  stored: StoredTurn,
  { counts, differs }: ClaimRequest,
): JournalEvent | undefined {
  if (counts === "client" && (turn.copied || (differs && !turn.finished)))
    return setAside(turn, stored.after);
  try {
    checkSame(turn, stored);
  } catch (error) {
    if (counts === "client") return setAside(turn, stored.after);
    throw error;
  }
  return turn.damaged && !turn.finished ? cutShort(turn, stored.after) : undefined;
}

function checkInput(turn: TurnLog, { inputHash }: ClaimRequest): void {
  if (inputHash === undefined || turn.inputHash === undefined || inputHash === turn.inputHash) return;
  throw new HandrailError(
    "key_reused",
    "This turnId is in use for another input already. Send a new turn with a new id.",
  );
}

/** Checks for the first claim of a turn only. Later claims keep what that one was granted. */
function checkFirst(
  { facts }: SandboxJournal,
  turn: TurnLog,
  { resolves, plan, permits, alsoPermits = [], cancels, counts }: ClaimRequest,
): void {
  if (resolves !== undefined) {
    if (!/^(proposal:\d+:.+|call:.+)$/s.test(resolves)) {
      throw new HandrailError("invalid_request", "resolves: must be proposal:VERSION:HASH or call:ID.");
    }
    facts.checkResolves(resolves, turn.id);
  }
  if (plan !== undefined && !(plan === null && counts === "client")) facts.checkPlan(plan);
  if (cancels !== undefined) facts.checkCancelled(cancels, turn.id);
  for (const other of alsoPermits) {
    facts.checkResolves(`call:${other.toolCallId}`, turn.id);
    facts.permissions.check(other);
  }
  if (permits === undefined) return;
  if (resolves !== `call:${permits.toolCallId}`)
    throw new HandrailError("invalid_request", "permits: must be about the call that `resolves` names.");
  facts.permissions.check(permits);
}

/** Ids of the calls to which an opening gives results, so that no one can answer them any more. */
function closedCalls(opening: readonly JournalEvent[]): string[] {
  return opening.flatMap(({ event, data }) => {
    if (event !== "message") return [];
    const result = RecordedResult.safeParse(data);
    return result.success ? [result.data.message.toolCallId] : [];
  });
}

/**
 * Everything a process needs to continue the turn. Throws `not_found` if its request is not stored, and
 * `history_differs` if only a client can continue it.
 */
export async function postedTurn(journal: SandboxJournal, turn: TurnLog, idle: boolean): Promise<PostedTurn> {
  if (idle) turn.checkCopied();
  const { attended } = turn.attendance;
  const kept = await journal.posted.read(turn.id);
  if (kept.posted !== undefined) return { epoch: turn.epoch, attended, ...(idle && attended ? {} : kept) };
  const why = turn.ownKey ? " It came with the person's own model key, which is never kept." : "";
  throw new HandrailError("not_found", `This turn's request is not kept.${why} Post the turn itself.`, {
    details: { known: true },
  });
}

async function soFar({ facts }: SandboxJournal, turn: TurnLog): Promise<ClaimResponse> {
  const records: JournalEvent[] = [];
  const results: CallResult[] = [];
  const begun = new Set<string>();
  for await (const line of turn.file.lines()) {
    if (line.type === "record") records.push(...eventsOf(line));
    else if (line.type === "started") begun.add(String(line.key));
    else if (line.type === "result") results.push(z.parse(CallResult, line));
  }
  for (const { key } of results) begun.delete(key);
  const { finished, stopped, compacted, context } = turn;
  const run = RunMode.safeParse(turn.run).data;
  const steers = turn.openSteers;
  const asked = facts.askedOf(turn.id);
  return {
    records,
    results,
    finished,
    stopped,
    ...(compacted ? { compacted } : {}),
    ...(context === undefined ? {} : { context }),
    ...(stopped && begun.size > 0 ? { begun: [...begun] } : {}),
    grants: facts.permissions.grantsOf(turn),
    ...(asked.length > 0 ? { asked } : {}),
    ...(run ? { run } : {}),
    ...(steers.length > 0 ? { steers } : {}),
  };
}

/**
 * Gives a message from the person to the running turn, once for each id, and returns it as it was journaled;
 * undefined if the turn has read it and ended. Throws `turn_finished` if the turn accepts no more messages.
 */
export async function steerTurn(
  journal: SandboxJournal,
  turn: TurnLog,
  { id, text }: SteerRequest,
): Promise<Steer | undefined> {
  const known = turn.steer(id);
  if (known !== undefined && known.text !== text)
    throw new HandrailError("key_reused", "id: other words were sent to this turn under it. Make a new one.");
  if (turn.finished || turn.stopped) {
    if (known !== undefined && !turn.openSteers.some((open) => open.id === id)) return undefined;
    throw new HandrailError("turn_finished", "This turn accepts no more messages. Send it as a new turn.", {
      details: { stopped: turn.stopped },
    });
  }
  if (known === undefined) await journal.write(turn, [{ type: "steer", id, text }]);
  const steer = turn.steer(id);
  if (steer) turn.attendance.tell({ type: "steer", ...steer });
  return steer;
}

/** Replaces the request's setting of who is notified when the turn ends. Throws `turn_finished`. */
export async function callInstead(
  journal: SandboxJournal,
  turn: TurnLog,
  notify: NotifyOption,
): Promise<void> {
  if (turn.finished) throw new HandrailError("turn_finished", "This turn has ended.");
  await journal.posted.callInstead(turn.id, notify);
  turn.attendance.tell({ type: "notify", notify });
}

/**
 * How long a stop waits for the calls that it ended, so that its caller finds their results in the journal.
 */
const settleMs = 1_500;

/** Fences the turn and ends its running calls. A turn that is not known yet is stopped before it starts. */
export async function stopInJournal(journal: SandboxJournal, turnId: string): Promise<void> {
  const turn = journal.turn(turnId);
  if (turn.finished) return;
  if (!turn.stopped) await journal.write(turn, [{ type: "stop" }]);
  turn.attendance.tell({ type: "stop" });
  const ending: Promise<unknown>[] = [];
  for (const { turnId: owner, state } of journal.calls.values()) {
    if (owner !== turnId || (state.at !== "running" && state.at !== "reserved")) continue;
    state.run.abort.abort();
    ending.push(state.run.result);
  }
  if (ending.length > 0) await waitAtMost(Promise.all(ending), settleMs);
}
