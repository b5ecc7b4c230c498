// The routes of a turn's journal: claim, read, stop.
import type { Hono } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { ClaimRequest } from "../../shared/journal.ts";
import { SandboxId } from "../../shared/sandbox.ts";
import { claimTurn, stopTurn } from "../calls/claim-turn.ts";
import type { ServerContext } from "../context.ts";
import type { TurnLog } from "../journal/turn-log.ts";
import { limits } from "../limits.ts";
import { type Env, numberParameter, readBody } from "./answers.ts";
import { type LineSink, ndjsonAnswer } from "./ndjson-stream.ts";

export function turnRoutes(app: Hono<Env>, server: ServerContext): void {
  app.post("/v1/sandboxes/:id/turns/:turnId/claim", async (c) => {
    const request = await readBody(c, ClaimRequest);
    const { journal } = await server.registry.get(c.req.param("id"));
    return c.json(await claimTurn(journal, turnIdOf(c.req.param("turnId")), request));
  });

  app.post("/v1/sandboxes/:id/turns/:turnId/stop", async (c) => {
    const { journal } = await server.registry.get(c.req.param("id"));
    await stopTurn(journal, turnIdOf(c.req.param("turnId")));
    return c.json({ stopped: true }, 202);
  });

  app.get("/v1/sandboxes/:id/turns/:turnId", async (c) => {
    const from = Math.max(1, numberParameter(c, "from", 1));
    const waitMs = Math.min(numberParameter(c, "waitMs", 0), limits.waitMs);
    const { journal } = await server.registry.get(c.req.param("id"));
    const turn = journal.turns.get(turnIdOf(c.req.param("turnId")));
    // A claim that is on its way to the disk is a turn already: its other poster looks for it here.
    if (!turn || turn.file.lastAppended === 0)
      throw new HandrailError("not_found", "This turn is not known here.");
    return ndjsonAnswer(c.get("requestId"), (sink) => follow(turn, from, waitMs, sink, server.shutdown));
  });
}

function turnIdOf(text: string): string {
  const id = z.safeParse(SandboxId, text);
  if (id.success) return id.data;
  throw new HandrailError("invalid_request", "turnId: must be 1 to 100 of A-Z a-z 0-9 _ -.");
}

/** What is journaled from `from` on, then what comes, until the time is up, the turn has ended or the reader is gone. */
async function follow(
  turn: TurnLog,
  from: number,
  waitMs: number,
  sink: LineSink,
  shutdown: AbortSignal,
): Promise<void> {
  // A timer of our own: one that only `AbortSignal.any` holds may be collected before it fires (Node 20).
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.max(1, waitMs));
  const ends = [sink.gone, shutdown, late.signal];
  try {
    await followUntil(turn, from, waitMs, sink, ends);
  } finally {
    clearTimeout(timer);
  }
}

async function followUntil(
  turn: TurnLog,
  from: number,
  waitMs: number,
  sink: LineSink,
  ends: readonly AbortSignal[],
): Promise<void> {
  let next = from;
  let pinged = false;
  for (;;) {
    let wake: () => void = () => undefined;
    const grown = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const unsubscribe = turn.file.onAppend(wake);
    for (const end of ends) end.addEventListener("abort", wake);
    try {
      // A part at a time, and no further than the reader has come.
      for (let seen = -1; seen !== next; ) {
        seen = next;
        const read = await turn.file.textFrom(next);
        next = read.next;
        await sink.text(read.text);
        if (sink.gone.aborted) return;
      }
      const complete = turn.finished && next > turn.file.lastAppended;
      if (waitMs === 0 || complete || ends.some((end) => end.aborted)) return;
      // Tells the reader that it has seen all there was.
      if (!pinged) sink.line({ type: "ping" });
      pinged = true;
      await grown;
    } finally {
      unsubscribe();
      for (const end of ends) end.removeEventListener("abort", wake);
    }
  }
}
