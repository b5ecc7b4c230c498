// Checks what must be true of every session, whatever happened to it. It counts in files and on the wire, and
// does not trust a server's word.
import { eventId } from "../fault/seen-events.ts";
import { historyProblem, type WireMessage } from "../fault/wire-history.ts";
import type { Kind } from "./schedule.ts";
import { effectOf, hereStill } from "./script.ts";
import type { Session } from "./session.ts";
import { stormToken, type Town } from "./town.ts";
import { textUntil, withoutHash } from "./turn-stream.ts";

/**
 * "An end within 10 s of the last disturbance", in time that other work on the machine did not take from the
 * servers.
 */
export const endMs = 10_000;
/** A session that has not ended by then hangs, however busy the machine is. */
export const hangMs = 90_000;

/** Disturbances after which a turn may end in an error with an explanation, because its data is gone. */
const mayFail: ReadonlySet<Kind> = new Set<Kind>([
  "full disk",
  "read-only disk",
  "torn journals",
  "cut journals",
  "copies",
  "workspaces",
]);

/** Disturbances in which the state folder's disk loses written data. */
const loses: ReadonlySet<Kind> = new Set<Kind>(["torn journals", "cut journals", "copies"]);

/** How many changed events are reported. The others follow from the first ones. */
const shown = 2;

/** Phrases for a call that has done nothing. */
const saysNotRun =
  /did(n't| not) run|not run\b|was not started|before it started|denied by the person(?!.*may have run)/i;
/** Generic phrases that explain nothing. */
const wordless = /Something went wrong/;

/** Measurements by which a session is judged, besides its own record. */
export interface Measure {
  kind: Kind;
  /** On the clock of performance.now(). */
  lastDisturbanceAt: number;
  /** How long the servers waited for a core since then; see own-time.ts. */
  waitedMs: number;
}

/** Returns the broken promises, one sentence each. */
export async function judge(
  session: Session,
  { kind, lastDisturbanceAt, waitedMs }: Measure,
): Promise<string[]> {
  const { messages, endedAt, errors, seen, gaveUp, lostUnseen } = session;
  const changed = seen.problems.slice(0, shown).map(({ rule, text }) => `${rule}: ${text.slice(0, 600)}`);
  const problems = [...session.problems, ...changed];
  const invalid = historyProblem(
    messages.filter(({ role }) => role !== "plan" && role !== "event").map(asWire),
  );
  if (invalid) problems.push(`the history is invalid: ${invalid}`);
  for (const { id } of session.script.effects) {
    const count = await session.count(id);
    if (count > 1 && !gaveUp && !lostUnseen) problems.push(`an effect happened ${count} times: ${id}`);
  }
  problems.push(...(await falseWords(session, kind)));
  for (const { code, message } of errors) {
    if (wordless.test(message)) problems.push(`words that say nothing: ${code}: ${message}`);
    if (!mayFail.has(kind)) problems.push(`it failed: ${code}: ${message}`);
  }
  // Unless a disk has lost something, there must be nothing to ask the person about.
  if (!loses.has(kind)) problems.push(...session.differences);
  const lateMs = endedAt === undefined ? Infinity : endedAt - lastDisturbanceAt;
  if (lateMs - waitedMs > endMs)
    problems.push(
      `no end within ${endMs / 1_000} s of the last disturbance: ${Math.round(lateMs)} ms, ${Math.round(waitedMs)} of them without a core`,
    );
  const last = messages.at(-1);
  if (endedAt !== undefined && !(last?.role === "assistant" && last.content === hereStill))
    problems.push(`the session is not free: its last message is ${JSON.stringify(last).slice(0, 300)}`);
  return problems;
}

function asWire(message: Session["messages"][number]): WireMessage {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.toolCallId };
  if (message.role === "assistant") return { role: "assistant", tool_calls: message.toolCalls ?? [] };
  return { role: message.role };
}

/** Results that contradict the files. */
async function falseWords(session: Session, kind: Kind): Promise<string[]> {
  const calls = new Map(
    session.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map((call) => [call.id, call] as const) : [],
    ),
  );
  const problems: string[] = [];
  for (const message of session.messages) {
    if (message.role !== "tool") continue;
    const call = calls.get(message.toolCallId);
    const effect = call && effectOf(call.name, call.arguments);
    if (effect === undefined) continue;
    const count = await session.count(effect);
    const told = message.content.slice(0, 200);
    if (message.ok && count === 0 && kind !== "workspaces")
      problems.push(`said to be done and is not there: ${effect}: ${told}`);
    if (!message.ok && count > 0 && saysNotRun.test(message.content) && !session.gaveUp)
      problems.push(`said not to have run and is there: ${effect}: ${told}`);
  }
  return problems;
}

/** Every acknowledged event must be served again byte for byte, also by the other edge. */
export async function judgeReplays(
  session: Session,
  { kind, lastDisturbanceAt }: Measure,
  { urls }: Town,
): Promise<string[]> {
  if (session.gaveUp || session.errors.length > 0) return [];
  const { seen, first, name } = session;
  const problems: string[] = [];
  for (const { turnId } of session.turns) {
    // A turn that was over may have lost events, because it has not been requested since.
    if (loses.has(kind) && (session.endedTurns.get(turnId) ?? 0) < lastDisturbanceAt) continue;
    const url = `${urls[first.edge === "a" ? "b" : "a"]}/api/turns/${name}/${turnId}/events`;
    const text = await replayed(url);
    if (text === undefined) {
      problems.push(`a replay has no end: ${turnId}`);
      continue;
    }
    const parts = text.split(/(?<=\n\n)/);
    const known = seen.problems.length;
    for (const part of parts) seen.see(turnId, withoutHash(part));
    problems.push(
      ...seen.problems
        .slice(known, known + shown)
        .map(({ text }) => `a replay differs: ${text.slice(0, 600)}`),
    );
    const ids = new Set(parts.flatMap((part) => eventId(part) ?? []));
    const lost = [...(first.stored.get(turnId)?.keys() ?? [])].filter((id) => !ids.has(String(id)));
    if (lost.length > 0)
      problems.push(`acknowledged events of ${turnId} are not replayed: ${lost.join(", ")}`);
  }
  return problems;
}

/** The turn's stream, read to its end; undefined if there is none. */
async function replayed(url: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${stormToken}` };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), hangMs);
  try {
    return await textUntil(await fetch(url, { headers, signal: late.signal }), late.signal);
  } catch (error) {
    if (late.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
