// Reads the journals of one sandbox from disk and reports damage. Does not interpret their lines.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { JournalFile, type JournalFileOptions } from "./journal-file.ts";
import type { StoredLine } from "./journal-lines.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { eventsOf, type TurnLog } from "./turn-log.ts";

export interface JournalContext {
  now(): number;
  /** Reports damage, but never content. */
  warn(message: string): void;
  /** Throws if another server has taken the state folder. */
  mayWrite?(): Promise<void>;
}

const suffix = ".ndjson";

/** The names of the journals in a folder. */
export async function journalsIn(dir: string): Promise<string[]> {
  return (await readdir(dir))
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

export function journalPath(dir: string, name: string): string {
  return join(dir, `${name}${suffix}`);
}

export async function openJournal(
  path: string,
  options: JournalFileOptions,
  { warn }: JournalContext,
): Promise<{ file: JournalFile; lines: StoredLine[] }> {
  const loaded = await JournalFile.load(path, options);
  const { tornBytes, damages } = loaded;
  if (tornBytes > 0) warn(`dropped a torn last line of ${tornBytes} bytes from a journal`);
  if (damages > 0)
    warn(
      `a journal is damaged in ${damages} places; the file as it was found is kept beside it, *.damaged-*`,
    );
  return loaded;
}

/** Lines that concern the whole sandbox carry `n`, their position among the lines of all turns. */
const Ordered = z.object({ n: z.number() });

/** Applies the lines of all turns to `facts` in their order, and returns the highest `n`. */
export function replayFacts(
  facts: PlanFacts,
  turns: readonly { turn: TurnLog; lines: readonly StoredLine[] }[],
): number {
  const ordered = turns.flatMap(({ turn, lines }) =>
    lines.flatMap((line) => {
      const order = z.safeParse(Ordered, line);
      return order.success ? [{ n: order.data.n, line, turn }] : [];
    }),
  );
  ordered.sort((a, b) => a.n - b.n);
  for (const { line, turn } of ordered) applyFacts(facts, line, turn);
  return ordered.at(-1)?.n ?? 0;
}

/** The part of a claim that closes open calls. */
const ClosedCalls = z.object({ closes: z.array(z.string()) });
/** The part of a claim with further calls that the turn resolves. */
const DecidedCalls = z.object({ decides: z.array(z.string()) });

export function applyFacts(facts: PlanFacts, line: StoredLine, turn: TurnLog): void {
  const place = { turnId: turn.id, n: typeof line.n === "number" ? line.n : 0, at: line.at };
  if (line.type === "claim") {
    if (typeof line.resolves === "string") facts.handOut(line.resolves, turn.id);
    for (const callId of DecidedCalls.safeParse(line).data?.decides ?? [])
      facts.handOut(`call:${callId}`, turn.id);
    if (line.forgets === "plan") facts.forgetPlan();
    if (line.implied !== true) facts.acknowledged.claim(turn.id, place.n, line);
    for (const callId of ClosedCalls.safeParse(line).data?.closes ?? []) facts.close(callId, turn.id);
  }
  if (line.type === "record")
    for (const event of eventsOf(line)) {
      facts.event(event, place);
      facts.session.event(event, place.at, turn.compacted);
    }
  if (line.type === "revoked" && typeof line.grant === "string")
    facts.permissions.revoke(line.grant, place.n);
}
