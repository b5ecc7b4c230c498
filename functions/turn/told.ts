// What a client is sent: recorded events with their running hash, and with a `gap` event where some are missing; the start of
// a call; and what a running command prints, without our own keys and the person's, which the sandbox does not know.
import * as z from "zod/mini";
import type { DurableEvent, EphemeralEvent, JournalEvent, TurnEvent } from "../../shared/event.ts";
import { historyDiffers } from "../../shared/history-differs.ts";
import { hookRunOfKey } from "../../shared/hooks.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { RedactingStream } from "../../shared/redact/stream.ts";
import { ExecArgs } from "../../shared/sandbox.ts";
import { seenAfter } from "../../shared/seen-hash.ts";
import { utf8Length } from "../../shared/session/utf8.ts";
import type { CountedHistory, StoredTurn } from "../../shared/turn.ts";
import type { SandboxCall } from "../calls/prepared.ts";
import { asWritten } from "../plan/checks.ts";
import { durableEvent } from "./replay-log.ts";

export class Told {
  readonly #stored: StoredTurn;
  #lastId = 0;
  /** The running hash; unknown from a gap on. */
  #seen: string | undefined = "";

  constructor(stored: StoredTurn) {
    this.#stored = stored;
  }

  /** The next recorded event, and the gap before it, if any. Throws `history_differs` if the client has another. */
  take(recorded: JournalEvent): { event: DurableEvent; gap?: EphemeralEvent } {
    const { turnId, after, seen } = this.#stored;
    const { id } = recorded;
    const from = Math.max(this.#lastId, after) + 1;
    const isNext = id === this.#lastId + 1;
    this.#seen = isNext && this.#seen !== undefined ? seenAfter(this.#seen, recorded) : undefined;
    this.#lastId = id;
    if (id === after && seen !== undefined && this.#seen !== undefined && seen !== this.#seen)
      throw historyDiffers({ turnId, after, lastId: id });
    const made = durableEvent(recorded);
    // The ending of a turn that was set aside can be all that the server has: hash it alone, so that every reader gets
    // the same hash.
    const hash = this.#seen ?? (isSetAside(made) ? seenAfter("", recorded) : undefined);
    const event = { ...made, ...(hash === undefined ? {} : { seen: hash }) };
    return isNext || from >= id ? { event } : { event, gap: gapEvent(from, id - 1) };
  }

  /**
   * Throws `history_differs` if the client has more events than exist. `results`: call results recorded since the last event;
   * their messages are sent before they are recorded.
   */
  checkAll(results: number): void {
    const { turnId, after } = this.#stored;
    if (after > this.#lastId + results) throw historyDiffers({ turnId, after, lastId: this.#lastId });
  }
}

/**
 * The events of an ended turn that the client does not have. `counts`: whose history counts; if the client's, only the
 * ending that set the turn aside is sent.
 */
export function* toldToEnd(
  records: readonly JournalEvent[],
  stored: StoredTurn,
  counts: CountedHistory | undefined,
): Generator<TurnEvent> {
  const last = records.at(-1);
  if (counts === "client" && last && isSetAside(durableEvent(last))) {
    if (last.id > stored.after + 1) yield gapEvent(stored.after + 1, last.id - 1);
    const told = new Told({ ...stored, after: 0 });
    yield* records.map((recorded) => told.take(recorded).event).slice(-1);
    return;
  }
  const told = new Told(stored);
  for (const recorded of records) {
    const { event, gap } = told.take(recorded);
    if (event.id <= stored.after) continue;
    if (gap) yield gap;
    yield event;
    // Only a second ending can follow an ending: it was written for a client that had another history.
    if (event.event === "turn.done" || event.event === "turn.failed") return;
  }
}

function isSetAside(event: DurableEvent): boolean {
  return event.event === "turn.failed" && event.data.error.code === "history_differs";
}

function gapEvent(from: number, through: number): EphemeralEvent {
  const message =
    "The server no longer keeps a part of this turn: messages and results are missing here. What it did is done, and is not repeated.";
  return { event: "gap", data: { from, through, message } };
}

type ToolStarted = Extract<EphemeralEvent, { event: "tool.started" }>;

/** TURN/ROUND/ORDINAL of the model's call, with `/PART` for what the engine runs for it, such as a check. */
const callKey = /^(?<origin>[^/]+\/\d+)\/(?<ordinal>\d+)(?:\/(?<part>.+))?$/;

/** The PART for the check of a step, or of the whole plan. */
const isCheck = /^(?:cp|end)\d*$/;

/** The model's call that a sandbox key belongs to; undefined for calls that the engine makes on its own. */
export function ownerOfKey(key: string): { origin: string; ordinal: number; part: string } | undefined {
  const { origin, ordinal, part = "" } = callKey.exec(key)?.groups ?? {};
  return origin === undefined ? undefined : { origin, ordinal: Number(ordinal), part };
}

/**
 * Undefined if the person does not wait for what begins: a snapshot, a restore, a list of files. `at`: milliseconds of
 * the sandbox's clock.
 */
export function callStarted(
  toolCallId: string,
  { key, op, args }: SandboxCall & { key: string },
  at: number,
): ToolStarted | undefined {
  const part = ownerOfKey(key)?.part;
  if (part === "" || /^again\d*$/.test(part ?? " "))
    return { event: "tool.started", data: { toolCallId, at } };
  const timed =
    hookRunOfKey(key) !== undefined ||
    isCheck.test(part ?? "") ||
    /^(?:before|after)Change\/\d+$/.test(part ?? "");
  const exec = op === "exec" && timed ? z.safeParse(ExecArgs, args) : undefined;
  if (!exec?.success) return undefined;
  const { command, timeoutMs: limitMs } = exec.data;
  const check = { command: asWritten(command), ...(limitMs === undefined ? {} : { limitMs }) };
  return { event: "tool.started", data: { toolCallId, at, check } };
}

const TimedOut = z.object({ timedOut: z.literal(true) });

/**
 * What is told before the message that brings a result: that a hook ended, or that a check ran out of time. `owner`: the
 * model's call that the result belongs to.
 */
export function endedEarly(
  { key, value }: { key: string; value?: unknown },
  owner: string | undefined,
): EphemeralEvent | undefined {
  const hook = hookRunOfKey(key);
  if (hook !== undefined) return { event: "tool.ended", data: { toolCallId: hook } };
  const isCut = isCheck.test(ownerOfKey(key)?.part ?? "") && z.safeParse(TimedOut, value).success;
  return isCut && owner !== undefined
    ? { event: "tool.ended", data: { toolCallId: owner, outOfTime: true } }
    : undefined;
}

/** A piece as the sandbox sends it; `offset` counts bytes of its stream. */
interface OutputPiece {
  key: string;
  stream: "stdout" | "stderr";
  offset: number;
  text: string;
}

interface ShownStream {
  redacting: RedactingStream;
  /**
   * Bytes of the sandbox's stream that were taken, and bytes that were shown. They differ if a mark replaces a secret.
   */
  taken: number;
  shown: number;
}

export class ShownOutput {
  readonly #own: Redactor;
  readonly #streams = new Map<string, ShownStream>();

  /** `own`: as for ReplayLog. */
  constructor(own: Redactor) {
    this.#own = own;
  }

  /**
   * Undefined while the whole text may be the beginning of a key. Text still held back when a command ends is not shown:
   * its output may have been cut in the middle of a key, and the result brings the rest.
   */
  event(toolCallId: string, { key, stream, offset, text }: OutputPiece): TurnEvent | undefined {
    const id = `${stream} ${key}`;
    const before = this.#streams.get(id);
    const state = before?.taken === offset ? before : this.#begun(offset, before);
    this.#streams.set(id, state);
    const shown = state.redacting.push(text);
    const data = { toolCallId, stream, offset: state.shown, text: shown };
    state.taken += utf8Length(text);
    state.shown += utf8Length(shown);
    return shown === "" ? undefined : { event: "tool.output", data };
  }

  /** A stream from its beginning, or after missing pieces, which leave an equally large gap in what is shown. */
  #begun(offset: number, before: ShownStream | undefined): ShownStream {
    const shown = before && offset > before.taken ? before.shown + offset - before.taken : offset;
    return { redacting: this.#own.stream(), taken: offset, shown };
  }
}
