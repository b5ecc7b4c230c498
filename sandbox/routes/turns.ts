// The routes of a turn's journal: claim, attend, follow, stop and others.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { BeatRequest, ClaimRequest, type IdleTurns, type PostedTurn } from "../../shared/journal.ts";
import { NotifyOption } from "../../shared/push.ts";
import { SandboxId } from "../../shared/sandbox.ts";
import { SteerRequest } from "../../shared/turn.ts";
import { callInstead, claimInJournal, postedTurn, steerTurn, stopInJournal } from "../calls/claim-turn.ts";
import type { ServerContext } from "../context.ts";
import { idleTurns } from "../idle-turns.ts";
import type { CallEntry } from "../journal/call-entry.ts";
import type { TurnLog } from "../journal/turn-log.ts";
import * as limits from "../limits.ts";
import { numberParameter, readBody } from "./answers.ts";
import { type LineSink, ndjsonAnswer } from "./ndjson-stream.ts";
import { noContent, type RequestContext, type Router } from "./router.ts";

export function turnRoutes(app: Router, server: ServerContext): void {
  app.post("/v1/sandboxes/:id/turns/:turnId/claim", async (c) => {
    const request = await readBody(c, ClaimRequest);
    const { journal, record } = await server.registry.get(c.param("id"));
    const turnId = turnIdOf(c.param("turnId"));
    // A turn that has begun may finish even if the budget is exceeded.
    if (!journal.turns.has(turnId)) await server.budget.check();
    const network = record.opened?.session ? "registries" : record.network;
    const claimed = {
      ...(await claimInJournal(journal, turnId, request)),
      ...(server.jail ? { network } : {}),
    };
    if (request.attends === undefined) return Response.json(claimed);
    const beats = request.attends === "beats";
    return ndjsonAnswer(c.requestId, async (sink) => {
      sink.line({ type: "claimed", ...claimed });
      if (!claimed.finished) await attend(journal.turn(turnId), request.epoch, beats, sink, server.shutdown);
    });
  });

  app.get("/v1/sandboxes/:id/turns/:turnId/attend", async (c) => {
    const turn = await knownTurn(c, server);
    const epoch = numberParameter(c, "epoch", 0);
    turn.checkRunner(epoch);
    const beats = c.query("beats") === "1";
    return ndjsonAnswer(c.requestId, (sink) => attend(turn, epoch, beats, sink, server.shutdown));
  });

  app.post("/v1/sandboxes/:id/turns/:turnId/beat", async (c) => {
    const { epoch } = await readBody(c, BeatRequest);
    const turn = await knownTurn(c, server);
    turn.checkRunner(epoch);
    turn.attendance.beat(epoch);
    return noContent();
  });

  app.post("/v1/sandboxes/:id/turns/:turnId/stop", async (c) => {
    const { journal } = await server.registry.get(c.param("id"));
    await stopInJournal(journal, turnIdOf(c.param("turnId")));
    return Response.json({ stopped: true }, { status: 202 });
  });

  app.post("/v1/sandboxes/:id/turns/:turnId/steer", async (c) => {
    const request = await readBody(c, SteerRequest);
    const turn = await knownTurn(c, server);
    const { journal } = await server.registry.get(c.param("id"));
    const steer = await steerTurn(journal, turn, request);
    return Response.json({ steered: true, ...(steer ? { steer } : {}) }, { status: 202 });
  });

  app.post("/v1/sandboxes/:id/turns/:turnId/notify", async (c) => {
    const notify = await readBody(c, NotifyOption);
    const turn = await knownTurn(c, server);
    const { journal } = await server.registry.get(c.param("id"));
    await callInstead(journal, turn, notify);
    return noContent();
  });

  app.get("/v1/sandboxes/:id/turns/:turnId/posted", async (c) => {
    const turn = await knownTurn(c, server);
    const { journal } = await server.registry.get(c.param("id"));
    const posted: PostedTurn = await postedTurn(journal, turn, c.query("idle") === "1");
    return Response.json(posted);
  });

  app.get("/v1/turns", async () => {
    const turns: IdleTurns = await idleTurns(server);
    return Response.json(turns);
  });

  app.get("/v1/sandboxes/:id/turns/:turnId", async (c) => {
    const from = numberParameter(c, "from", 1);
    const waitMs = Math.min(numberParameter(c, "waitMs", 0), limits.waitMs);
    const turn = await knownTurn(c, server);
    const { journal } = await server.registry.get(c.param("id"));
    const runsNothing = () => ![...journal.calls.values()].some((call) => isRunning(call, turn.id));
    const isUnattended = () => turn.attends && !turn.finished && !turn.attendance.attended && runsNothing();
    return ndjsonAnswer(c.requestId, (sink) =>
      follow(turn, { from, waitMs, isUnattended }, sink, server.shutdown),
    );
  });
}

async function knownTurn(c: RequestContext, server: ServerContext): Promise<TurnLog> {
  const { journal } = await server.registry.get(c.param("id"));
  const turn = journal.turns.get(turnIdOf(c.param("turnId")));
  // A turn whose claim is still being written exists already: a second client that posted it looks for it
  // here.
  if (!turn || turn.file.lastAppended === 0)
    throw new HandrailError("not_found", "This turn is not known here.");
  return turn;
}

function isRunning({ turnId, state }: CallEntry, id: string): boolean {
  return turnId === id && (state.at === "running" || state.at === "reserved");
}

/**
 * Keeps the runner's stream open until the turn has ended, the runner has left, or another runner has taken
 * over.
 */
async function attend(
  turn: TurnLog,
  epoch: number,
  beats: boolean,
  sink: LineSink,
  shutdown: AbortSignal,
): Promise<void> {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const leave = turn.attendance.attend(epoch, beats, (news) => {
    sink.line(news);
    if (news.type === "overtaken") end();
  });
  if (turn.stopped) sink.line({ type: "stop" });
  for (const steer of turn.openSteers) sink.line({ type: "steer", ...steer });
  const unsubscribe = turn.file.onAppend(() => turn.finished && end());
  const ends = [sink.gone, shutdown];
  for (const signal of ends) signal.addEventListener("abort", end);
  if (turn.finished || ends.some((signal) => signal.aborted)) end();
  try {
    await over;
  } finally {
    for (const signal of ends) signal.removeEventListener("abort", end);
    unsubscribe();
    leave();
  }
}

function turnIdOf(text: string): string {
  const id = z.safeParse(SandboxId, text);
  if (id.success) return id.data;
  throw new HandrailError("invalid_request", "turnId: must be 1 to 100 of A-Z a-z 0-9 _ -.");
}

interface FollowedTurn {
  from: number;
  waitMs: number;
  /** No runner runs the turn, and none of its calls is running here. */
  isUnattended(): boolean;
}

/**
 * Sends the journaled lines from `from` on, then new ones, until the time is up, the turn has ended, it has
 * no runner any more, or the reader has left.
 */
async function follow(
  turn: TurnLog,
  following: FollowedTurn,
  sink: LineSink,
  shutdown: AbortSignal,
): Promise<void> {
  // A timer of our own, because a signal that only `AbortSignal.any` references may be garbage-collected
  // before it fires (Node 20).
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.max(1, following.waitMs));
  const ends = [sink.gone, shutdown, late.signal];
  const unwatch = following.waitMs > 0 ? turn.attendance.watch() : () => undefined;
  try {
    await followUntil(turn, following, sink, ends);
  } finally {
    clearTimeout(timer);
    unwatch();
  }
}

async function followUntil(
  turn: TurnLog,
  { from, waitMs, isUnattended }: FollowedTurn,
  sink: LineSink,
  ends: readonly AbortSignal[],
): Promise<void> {
  let next = from;
  let pinged = false;
  /** Since when the turn has had no runner, on the clock of `performance`. */
  let idleSince: number | undefined;
  for (;;) {
    let wake: () => void = () => undefined;
    const grown = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const unsubscribe = [turn.file.onAppend(wake), turn.attendance.onChange(wake)];
    for (const end of ends) end.addEventListener("abort", wake);
    // A call may end without appending a line, so this looks again after a while.
    let look: NodeJS.Timeout | undefined;
    try {
      // The journal is sent part by part, as fast as the client reads.
      for (let seen = -1; seen !== next; ) {
        seen = next;
        const read = await turn.file.textFrom(next);
        next = read.next;
        await sink.text(read.text);
        if (sink.gone.aborted) return;
      }
      const complete = turn.finished && next > turn.file.lastAppended;
      if (waitMs === 0 || complete || ends.some((end) => end.aborted)) return;
      // Tells the reader that it has received everything so far.
      if (!pinged) sink.line({ type: "ping" });
      pinged = true;
      idleSince = isUnattended() ? (idleSince ?? performance.now()) : undefined;
      if (idleSince !== undefined && performance.now() - idleSince >= limits.unattendedMs) {
        sink.line({ type: "unattended" });
        return;
      }
      look = setTimeout(wake, limits.unattendedMs);
      await grown;
    } finally {
      clearTimeout(look);
      for (const end of unsubscribe) end();
      for (const end of ends) end.removeEventListener("abort", wake);
    }
  }
}
