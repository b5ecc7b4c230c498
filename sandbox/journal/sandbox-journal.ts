// Everything that one sandbox has recorded: the journals of its turns and other calls, and the state that
// follows from them. Writes lines and updates the state; runs nothing and knows nothing of HTTP.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import type { ErrorInfo } from "../../shared/errors.ts";
import { CallResult } from "../../shared/sandbox.ts";
import { syncFolder } from "../files.ts";
import { type CallEntry, type CallIdentity, type CallOutcome, CallRun } from "./call-entry.ts";
import { JournalFile, type JournalFileOptions } from "./journal-file.ts";
import type { LineDraft, StoredLine } from "./journal-lines.ts";
import {
  applyFacts,
  type JournalContext,
  journalPath,
  journalsIn,
  openJournal,
  replayFacts,
} from "./load-journal.ts";
import { makeSmall } from "./make-small.ts";
import { PlanFacts } from "./plan-facts.ts";
import { PostedRequests } from "./posted-requests.ts";
import { callsIn, unknownResult } from "./recover-calls.ts";
import { keptRow, SessionNews } from "./session-news.ts";
import { endsWork, eventsOf, TurnLog } from "./turn-log.ts";
import { unwritten } from "./unwritten.ts";

export class SandboxJournal {
  readonly turns = new Map<string, TurnLog>();
  readonly calls = new Map<string, CallEntry>();
  facts = new PlanFacts();
  /** Called when the work of a turn is over. */
  onWorkOver: () => void = () => undefined;
  readonly posted: PostedRequests;
  readonly news: SessionNews;
  readonly #dir: string;
  readonly #context: JournalContext;
  readonly #fileOptions: JournalFileOptions;
  #order = 0;
  /** Journals of calls outside turns, by day. */
  readonly #loose = new Map<string, JournalFile>();
  /** Set while memory may be ahead of the disk because a write failed. */
  #mending: Promise<void> | undefined;
  /** Why the write failed. */
  #failure: unknown;
  /** How many journals there were at the last compaction. */
  #compactedAt = 0;

  private constructor(dir: string, context: JournalContext) {
    this.#dir = dir;
    this.posted = new PostedRequests(join(dir, "turns"));
    this.news = new SessionNews(dir);
    this.#context = context;
    this.#fileOptions = {
      now: () => context.now(),
      mayWrite: async () => context.mayWrite?.(),
      onFailure: (error) => {
        this.#failure = error;
        this.#mending ??= this.#mend().finally(() => {
          this.#mending = undefined;
        });
      },
    };
  }

  /**
   * Loads the journals. Calls that had started, have no result and are not harmless get `outcome_unknown` as
   * their permanent result.
   */
  static async load(dir: string, context: JournalContext): Promise<SandboxJournal> {
    const journal = new SandboxJournal(dir, context);
    const [turnsDir, callsDir] = [join(dir, "turns"), join(dir, "calls")];
    for (const folder of [turnsDir, callsDir]) await mkdir(folder, { recursive: true });
    await syncFolder(dir);
    const loaded: { turn: TurnLog; lines: StoredLine[] }[] = [];
    for (const name of await journalsIn(turnsDir)) {
      const { file, lines } = await openJournal(journalPath(turnsDir, name), journal.#fileOptions, context);
      const turn = new TurnLog(name, file);
      turn.reload(lines);
      if (lines.length === 0) continue;
      journal.turns.set(turn.id, turn);
      loaded.push({ turn, lines });
      await journal.#recover(file, lines, turn);
    }
    for (const name of await journalsIn(callsDir)) {
      const { file, lines } = await openJournal(journalPath(callsDir, name), journal.#fileOptions, context);
      journal.#loose.set(name, file);
      await journal.#recover(file, lines, undefined);
    }
    journal.#order = replayFacts(journal.facts, loaded);
    const { row } = journal.facts.session;
    const { said, notes = {} } = await keptRow(dir);
    row.said = said || row.said;
    journal.news.devices.said = notes;
    await journal.posted.load(journal.turns);
    await journal.news.tell(row);
    await journal.compactOld();
    return journal;
  }

  async #recover(file: JournalFile, lines: StoredLine[], turn: TurnLog | undefined): Promise<void> {
    const { entries, unknown } = callsIn(lines, turn?.id, file);
    for (const entry of entries) this.calls.set(entry.key, entry);
    if (unknown.length === 0) return;
    const drafts = unknown.map((entry) => unknownResult(entry.key, lines));
    const { lines: results, written } = file.append(drafts, true);
    await written;
    for (const line of results) turn?.apply(line);
    unknown.forEach((entry, index) => {
      entry.state = { at: "done", seq: results[index]?.seq ?? 0 };
    });
  }

  /** Resolves when memory contains no line that a failed write kept from the disk. */
  async whole(): Promise<void> {
    await this.#mending;
  }

  /** Resolves when memory and disk agree and no write is pending. */
  async settled(): Promise<void> {
    await this.whole();
    const busy = [...this.turns.values()].find(({ file }) => file.busy);
    if (!busy) return;
    await busy.file.settled();
    await this.settled();
  }

  /** Undoes everything derived from lines that could not be written. Nothing is appended meanwhile. */
  async #mend(): Promise<void> {
    const loaded: { turn: TurnLog; lines: StoredLine[] }[] = [];
    for (const turn of [...this.turns.values()]) {
      const lines: StoredLine[] = [];
      for await (const line of turn.file.lines()) lines.push(line);
      loaded.push({ turn, lines });
    }
    const { said } = this.facts.session.row;
    this.facts = new PlanFacts();
    for (const { turn, lines } of loaded) {
      turn.reload(lines);
      if (lines.length === 0) this.turns.delete(turn.id);
    }
    this.#order = replayFacts(this.facts, loaded);
    this.facts.session.row.said = said;
  }

  /**
   * Compacts turns that every client has stored, once enough newer turns exist. Does not depend on a clock. A
   * journal that cannot be written stays unchanged.
   */
  async compactOld(): Promise<void> {
    const opened = this.turns.size + this.#loose.size;
    if (opened === this.#compactedAt) return;
    this.#compactedAt = opened;
    await makeSmall(this, this.#loose).catch((error: Error) => this.#context.warn(error.message));
  }

  /** The turn's log. A new turn is registered with its first line. */
  turn(id: string): TurnLog {
    const path = journalPath(join(this.#dir, "turns"), id);
    return this.turns.get(id) ?? new TurnLog(id, new JournalFile(path, this.#fileOptions));
  }

  /**
   * Journals lines of a turn durably. They take effect immediately; the promise resolves when they are on the
   * disk.
   */
  async write(turn: TurnLog, drafts: LineDraft[]): Promise<void> {
    const ordered = drafts.map((draft) => ({ ...draft, n: ++this.#order }));
    if (drafts.length > 0) this.turns.set(turn.id, turn);
    await this.#append(turn.file, ordered, true, (line) => {
      turn.apply(line);
      applyFacts(this.facts, line, turn);
      if (line.type === "record" && endsWork(eventsOf(line))) this.onWorkOver();
    });
    await this.news.tell(this.facts.session.row);
    if (turn.finished) await this.posted.drop(turn.id);
  }

  /** Reserves the key of a call that is about to run. */
  reserve(identity: CallIdentity, turn: TurnLog | undefined, command: string): CallEntry {
    const state: CallEntry["state"] = { at: "reserved", run: new CallRun(command) };
    const entry: CallEntry = { ...identity, turnId: turn?.id, log: turn?.file ?? this.#looseLog(), state };
    this.calls.set(identity.key, entry);
    return entry;
  }

  /** Gives a reserved key back, because the call was refused before it started. */
  release(entry: CallEntry): void {
    if (this.calls.get(entry.key) === entry) this.calls.delete(entry.key);
  }

  /**
   * Journals the start of the call and tells its followers. Resolves when the call may start. Harmless calls
   * are announced at once and do not wait for the disk.
   */
  async started(entry: CallEntry, run: CallRun, args: Record<string, unknown>): Promise<void> {
    entry.state = { at: "running", run };
    const { key, op, harmless } = entry;
    let at = this.#context.now();
    const written = this.#append(entry.log, [{ type: "started", key, op, args }], !harmless, (line) => {
      at = line.at;
    });
    if (!harmless) await written;
    run.begin(key, at);
    await written;
  }

  /** Journals live output, without waiting for the disk. */
  output(entry: CallEntry, line: LineDraft): void {
    this.#append(entry.log, [line], false).catch(() => undefined);
  }

  /** Journals how the call ended, and returns its result with the time of that line. */
  ended(entry: CallEntry, outcome: CallOutcome): Promise<CallResult> {
    // Events are made from the results of a turn's calls and sent, so the results must survive a power
    // failure.
    const durable = !entry.harmless || entry.turnId !== undefined;
    const result = { key: entry.key, ...outcome, replayed: false };
    // An earlier write of output may have found the disk full although there is room for the result.
    return this.#result(entry, result, durable).catch(async (first: unknown) => {
      await this.whole();
      return this.#result(entry, result, durable).catch(() => {
        throw first;
      });
    });
  }

  /** Journals permanently that the call does not run. */
  async notRun(entry: CallEntry, error: ErrorInfo): Promise<CallResult> {
    const { key, op, argsHash } = entry;
    const result = { key, ok: false, error, replayed: false, ms: 0 };
    return { ...result, at: (await this.#result(entry, { ...result, op, argsHash }, true)).at };
  }

  async #result<R extends object>(
    entry: CallEntry,
    result: R,
    durable: boolean,
  ): Promise<R & { at: number }> {
    const turn = entry.turnId === undefined ? undefined : this.turns.get(entry.turnId);
    const draft = { type: "result", ...result };
    const [line] = await this.#append(entry.log, [draft], durable, (written) => turn?.apply(written));
    if (line === undefined) throw new Error("the journal took no line");
    entry.state = { at: "done", seq: line.seq };
    return { ...result, at: line.at };
  }

  /** The recorded result of a finished call. */
  async resultOf(entry: CallEntry, seq: number): Promise<CallResult> {
    return { ...z.parse(CallResult, await entry.log.line(seq)), replayed: true };
  }

  #looseLog(): JournalFile {
    const day = new Date(this.#context.now()).toISOString().slice(0, 10);
    const known = this.#loose.get(day);
    if (known) return known;
    const file = new JournalFile(journalPath(join(this.#dir, "calls"), day), this.#fileOptions);
    this.#loose.set(day, file);
    return file;
  }

  async #append(
    file: JournalFile,
    drafts: LineDraft[],
    durable: boolean,
    apply?: (line: StoredLine) => void,
  ): Promise<StoredLine[]> {
    if (this.#mending !== undefined) throw unwritten(this.#failure);
    const { lines, written } = file.append(drafts, durable);
    if (apply) for (const line of lines) apply(line);
    try {
      await written;
      return lines;
    } catch (error) {
      throw unwritten(error);
    }
  }
}
