// All that one sandbox has recorded: the journals of its turns, its other calls, and what follows from them.
// Writes lines and keeps the state that they mean; runs nothing and knows no HTTP.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { CallResult } from "../../shared/sandbox.ts";
import { limits } from "../limits.ts";
import { type CallEntry, type CallIdentity, CallRun } from "./call-entry.ts";
import { compacted, rewrite } from "./compact.ts";
import { type Draft, JournalFile, type Line } from "./journal-file.ts";
import { PlanFacts } from "./plan-facts.ts";
import { callsIn, unknownOutcome } from "./recover-calls.ts";
import { eventsOf, TurnLog } from "./turn-log.ts";

export interface JournalContext {
  now(): number;
  /** Told about what was found broken; never content. */
  warn(message: string): void;
}

/** Lines that say something about the whole sandbox carry `n`, their order across turns. */
const Ordered = z.object({ n: z.number() });

export class SandboxJournal {
  readonly turns = new Map<string, TurnLog>();
  readonly calls = new Map<string, CallEntry>();
  readonly facts = new PlanFacts();
  /** Set when a write failed: what is in memory may be ahead of the disk, so the journal has to be loaded anew. */
  broken = false;
  readonly #dir: string;
  readonly #context: JournalContext;
  #order = 0;
  /** Journals of calls outside turns, one a day, by path. */
  readonly #loose = new Map<string, JournalFile>();

  private constructor(dir: string, context: JournalContext) {
    this.#dir = dir;
    this.#context = context;
  }

  /** Loads what is there. Calls that had started and have no result get `outcome_unknown`, once and for good. */
  static async load(dir: string, context: JournalContext): Promise<SandboxJournal> {
    const journal = new SandboxJournal(dir, context);
    await mkdir(join(dir, "turns"), { recursive: true });
    await mkdir(join(dir, "calls"), { recursive: true });
    const ordered: { n: number; line: Line; turn: TurnLog }[] = [];
    for (const name of await journalsIn(join(dir, "turns"))) {
      const { file, lines } = await journal.#openTurn(join(dir, "turns", name));
      const turn = new TurnLog(name.slice(0, -journalSuffix.length), file);
      journal.turns.set(turn.id, turn);
      for (const line of lines) {
        turn.apply(line);
        const n = z.safeParse(Ordered, line);
        if (n.success) ordered.push({ n: n.data.n, line, turn });
      }
      await journal.#recover(file, lines, turn.id);
    }
    for (const name of await journalsIn(join(dir, "calls"))) {
      const path = join(dir, "calls", name);
      const { file, lines } = await journal.#open(path);
      if (journal.#isOld(lines)) {
        await rm(path);
        continue;
      }
      journal.#loose.set(file.path, file);
      await journal.#recover(file, lines, undefined);
    }
    ordered.sort((a, b) => a.n - b.n);
    for (const { n, line, turn } of ordered) {
      journal.#order = n;
      journal.#applyFacts(line, turn);
    }
    return journal;
  }

  async #open(path: string) {
    const loaded = await JournalFile.load(path, () => this.#context.now());
    if (loaded.tornBytes > 0)
      this.#context.warn(`dropped a torn last line of ${loaded.tornBytes} bytes from a journal`);
    return loaded;
  }

  /** As #open; a turn that ended long ago is made small first. */
  async #openTurn(path: string) {
    const loaded = await this.#open(path);
    const ended = loaded.lines.some((line) =>
      eventsOf(line).some(({ event }) => event === "turn.done" || event === "turn.failed"),
    );
    const smaller = ended && this.#isOld(loaded.lines) ? compacted(loaded.lines) : undefined;
    if (!smaller) return loaded;
    await rewrite(path, smaller);
    return this.#open(path);
  }

  #isOld(lines: readonly Line[]): boolean {
    return (lines.at(-1)?.at ?? 0) < this.#context.now() - limits.journalDays * 24 * 60 * 60_000;
  }

  async #recover(file: JournalFile, lines: Line[], turnId: string | undefined): Promise<void> {
    const { entries, unknown } = callsIn(lines, turnId, file);
    for (const entry of entries) this.calls.set(entry.key, entry);
    if (unknown.length === 0) return;
    const { lines: results, written } = file.append(
      unknown.map((entry) => unknownOutcome(entry.key)),
      true,
    );
    await written;
    unknown.forEach((entry, index) => {
      entry.state = { at: "done", seq: results[index]?.seq ?? 0 };
    });
  }

  #applyFacts(line: Line, turn: TurnLog): void {
    if (line.type === "claim" && typeof line.resolves === "string")
      this.facts.handOut(line.resolves, turn.id);
    if (line.type === "record") for (const event of eventsOf(line)) this.facts.event(event);
  }

  /** The turn's journal, made when it is new. */
  turn(id: string): TurnLog {
    const known = this.turns.get(id);
    if (known) return known;
    const turn = new TurnLog(
      id,
      new JournalFile(join(this.#dir, "turns", `${id}.ndjson`), () => this.#context.now()),
    );
    this.turns.set(id, turn);
    return turn;
  }

  /** Journals lines of a turn durably. What they mean holds at once; the promise says when they are safe. */
  async write(turn: TurnLog, drafts: Draft[]): Promise<void> {
    const ordered = drafts.map((draft) => ({ ...draft, n: ++this.#order }));
    await this.#append(turn.file, ordered, true, (line) => {
      turn.apply(line);
      this.#applyFacts(line, turn);
    });
  }

  /** Takes the key for a call about to run, before anything else can. */
  reserve(identity: CallIdentity, turnId: string | undefined, command: string): CallEntry {
    const state: CallEntry["state"] = { at: "reserved", run: new CallRun(command, this.#context.now()) };
    const log = turnId === undefined ? this.#looseLog() : this.turn(turnId).file;
    const entry: CallEntry = { ...identity, turnId, log, state };
    this.calls.set(identity.key, entry);
    return entry;
  }

  /** Gives a reserved key back: the call was refused before it started. */
  release(entry: CallEntry): void {
    if (this.calls.get(entry.key) === entry) this.calls.delete(entry.key);
  }

  /** Journals that the call starts; resolves when it may. What is harmless needs no wait for the disk. */
  async started(entry: CallEntry, run: CallRun, args: Record<string, unknown>): Promise<void> {
    entry.state = { at: "running", run };
    await this.#append(entry.log, [{ type: "started", key: entry.key, op: entry.op, args }], !entry.harmless);
  }

  /** Journals live output, without waiting for the disk. */
  output(entry: CallEntry, line: Draft): void {
    this.#append(entry.log, [line], false).catch(() => undefined);
  }

  /** Journals how the call ended and returns its result with the time at which that was. */
  async ended(entry: CallEntry, outcome: CallOutcome): Promise<CallResult> {
    const draft = { type: "result", key: entry.key, ...outcome, replayed: false };
    const [line] = await this.#append(entry.log, [draft], !entry.harmless);
    if (line === undefined) throw new Error("the journal took no line");
    entry.state = { at: "done", seq: line.seq };
    return { key: entry.key, ...outcome, replayed: false, at: line.at };
  }

  /** The recorded result of a call that is done. */
  async resultOf(entry: CallEntry, seq: number): Promise<CallResult> {
    return { ...z.parse(CallResult, await entry.log.line(seq)), replayed: true };
  }

  #looseLog(): JournalFile {
    const day = new Date(this.#context.now()).toISOString().slice(0, 10);
    const path = join(this.#dir, "calls", `${day}.ndjson`);
    const known = this.#loose.get(path);
    if (known) return known;
    const file = new JournalFile(path, () => this.#context.now());
    this.#loose.set(path, file);
    return file;
  }

  async #append(
    file: JournalFile,
    drafts: Draft[],
    durable: boolean,
    apply?: (line: Line) => void,
  ): Promise<Line[]> {
    const { lines, written } = file.append(drafts, durable);
    if (apply) for (const line of lines) apply(line);
    try {
      await written;
      return lines;
    } catch (error) {
      this.broken = true;
      throw error;
    }
  }
}

const journalSuffix = ".ndjson";

async function journalsIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.endsWith(journalSuffix));
}

/** How a call ended, before it has its place in the journal. `ms`: how long it ran. */
export type CallOutcome = Pick<CallResult, "ok" | "value" | "error" | "ms">;
