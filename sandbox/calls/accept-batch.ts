// The checks that can refuse a whole batch: fencing, keys, the record. After these, calls are refused only
// one by one.
import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import type { Call, CallsRequest } from "../../shared/sandbox.ts";
import { type CallEntry, type CallIdentity, hashOfCall, isHarmless } from "../journal/call-entry.ts";
import type { SandboxJournal } from "../journal/sandbox-journal.ts";
import type { TurnLog } from "../journal/turn-log.ts";
import { checkArgs } from "../ops/run-op.ts";

/**
 * A call with its key reserved. `entry` is shared with every request that names the same key. `refusal`: the
 * call will not run.
 */
export interface AcceptedCall {
  call: Call;
  entry: CallEntry;
  /** true = this request has to run it. */
  own: boolean;
}
export type PlannedCall = AcceptedCall | { call: Call; refusal: HandrailError };

export interface AcceptedBatch {
  turn: TurnLog | undefined;
  /** Seq of the turn's last line after the record was written. */
  seq: number;
  calls: PlannedCall[];
}

/**
 * Either throws, with nothing journaled and no key reserved, or journals the record and reserves the keys.
 */
export async function acceptBatch(journal: SandboxJournal, request: CallsRequest): Promise<AcceptedBatch> {
  const identities = request.calls.map(identify);
  const turn = request.turn && journal.turn(request.turn.id);
  const events = request.turn?.record ?? [];
  let fresh: readonly JournalEvent[] = events;
  if (turn && request.turn) {
    turn.checkRunner(request.turn.epoch);
    fresh = withoutRepeated(turn, events);
    if (fresh.length > 0 || turn.stopped) turn.checkEvents(fresh);
  }
  checkKeys(journal, identities);
  // Nothing else runs from here to the first await, so keys and record are taken in one step.
  const calls = request.calls.map((call, index): PlannedCall => plan(journal, call, identities[index], turn));
  if (turn && request.turn) {
    const claim =
      request.turn.epoch > turn.epoch ? [{ type: "claim", epoch: request.turn.epoch, implied: true }] : [];
    const record = fresh.length > 0 ? [{ type: "record", events: fresh }] : [];
    try {
      await journal.write(turn, [...claim, ...record]);
    } catch (error) {
      for (const planned of calls) if ("entry" in planned && planned.own) journal.release(planned.entry);
      throw error;
    }
  }
  return { turn, seq: turn?.file.lastSeq ?? 0, calls };
}

/** A request that is repeated after a lost answer contains a record that is journaled already. */
function withoutRepeated(turn: TurnLog, events: readonly JournalEvent[]): readonly JournalEvent[] {
  const known = events.filter((event) => event.id <= turn.lastEventId);
  return known.length > 0 && turn.holds(known) ? events.slice(known.length) : events;
}

function identify({ key, op, args }: Call): CallIdentity {
  return { key, op, argsHash: hashOfCall(op, args), harmless: isHarmless(op, args) };
}

function checkKeys(journal: SandboxJournal, identities: readonly CallIdentity[]): void {
  const seen = new Map<string, string>();
  for (const { key, argsHash } of identities) {
    const known = seen.get(key) ?? journal.calls.get(key)?.argsHash;
    if (known !== undefined && known !== argsHash) {
      throw new HandrailError(
        "key_reused",
        `The key ${key.slice(0, 200)} is in use for another call already. Nothing of the request ran.`,
        {
          details: { key },
        },
      );
    }
    seen.set(key, argsHash);
  }
}

function plan(
  journal: SandboxJournal,
  call: Call,
  identity: CallIdentity | undefined,
  turn: TurnLog | undefined,
): PlannedCall {
  const known = journal.calls.get(call.key);
  if (known && known.state.at !== "again") return { call, entry: known, own: false };
  try {
    checkArgs(call.op, call.args);
  } catch (error) {
    if (error instanceof HandrailError) return { call, refusal: error };
    throw error;
  }
  if (!identity) return { call, refusal: new HandrailError("internal", "The call could not be taken.") };
  return { call, entry: journal.reserve(identity, turn, commandOf(call)), own: true };
}

/** The name of the call that the person sees. */
export function commandOf({ args, op }: Call): string {
  return typeof args.command === "string" ? args.command : op;
}
