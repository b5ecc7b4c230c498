// POST /api/turn, its event stream, and stop (PROTOCOL 3.1). Converts between HTTP and turns, and knows no model.
import type { Context } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import { Hono } from "hono/tiny";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import { NotifyOption } from "../../shared/push.ts";
import { SandboxId } from "../../shared/sandbox.ts";
import { ResumeRequest, SeenHash, SteerRequest, type StoredTurn, TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import * as limits from "../limits.ts";
import { startTurn } from "../live/drive.ts";
import { EventQueue } from "../live/event-queue.ts";
import { keptRequest } from "../live/left-turns.ts";
import { LiveTurn } from "../live/live-turns.ts";
import { hashInput } from "../turn/claim.ts";
import { redactorsOf } from "../turn/redactors.ts";
import { eventStream } from "./event-stream.ts";
import { keepAlive } from "./keep-alive.ts";
import { readJson, readPosted } from "./read-json.ts";

interface RequestIdEnv {
  Variables: RequestIdVariables;
}

const TurnPath = z.object({ sandboxId: SandboxId, turnId: SandboxId });
/** The person's own key for the model, valid for one request. */
export const modelKeyHeader = "x-model-key";
const After = z.string().check(z.regex(/^\d{1,9}$/));

export function turnRoutes(deps: Deps): Hono<RequestIdEnv> {
  const app = new Hono<RequestIdEnv>();
  const { liveTurns } = deps.memory;
  const { continuesUnattended } = deps.host;
  const streaming = {
    elapsed: deps.elapsed,
    running: { count: 0 },
    heartbeatMs: continuesUnattended ? limits.heartbeatMs : limits.probingHeartbeatMs,
  };

  app.post("/turn", async (c) => {
    const { body, pack } = await readPosted(c, TurnRequest);
    return run(c, body, pack);
  });

  // Works like a post of the turn itself: the sandbox stores the request until the turn has ended.
  app.post("/turns/:sandboxId/:turnId/resume", async (c) => {
    const { sandboxId, turnId } = readPath(c);
    const asked = await readJson(c, ResumeRequest);
    return run(c, await keptRequest(deps, sandboxId, turnId, asked));
  });

  app.get("/turns/:sandboxId/:turnId/events", async (c) => {
    const { sandboxId, turnId } = readPath(c);
    const after = z.safeParse(After, c.req.query("after") ?? "0");
    if (!after.success)
      throw new HandrailError("invalid_request", "after: must be the id of an event, at most 999,999,999.");
    const seen = z.safeParse(z.optional(SeenHash), c.req.query("seen"));
    if (!seen.success) throw new HandrailError("invalid_request", "seen: send that of the event `after`.");
    const stored = storedBy({ turnId, after: Number(after.data), seen: seen.data });
    const running = liveTurn(sandboxId, turnId);
    const { signal } = c.req.raw;
    const begun = await running?.begun;
    return running && begun ? watch(running, stored, signal) : follow(sandboxId, stored, c.req.raw);
  });

  app.post("/turns/:sandboxId/:turnId/stop", async (c) => {
    const { sandboxId, turnId } = readPath(c);
    const { stopTurn } = await import("../live/stop.ts");
    await stopTurn(deps, sandboxId, turnId);
    return c.json({ ok: true }, 202);
  });

  app.post("/turns/:sandboxId/:turnId/notify", async (c) => {
    const { sandboxId, turnId } = readPath(c);
    await deps.sandbox.tell(sandboxId, `turns/${turnId}/notify`, await readJson(c, NotifyOption));
    return c.json({ ok: true }, 202);
  });

  // The sandbox tells the runner, in whichever process it is. A runner in this process is told directly, so that a
  // message accepted while the model ends its answer arrives before that end.
  app.post("/turns/:sandboxId/:turnId/steer", async (c) => {
    const { sandboxId, turnId } = readPath(c);
    const steer = await deps.sandbox.steer(sandboxId, turnId, await readJson(c, SteerRequest));
    if (steer) liveTurn(sandboxId, turnId)?.hear({ type: "steer", ...steer });
    return c.json({ ok: true }, 202);
  });

  /** `pack`: returns the request as received, to be stored; absent if the sandbox already has it. */
  async function run(
    c: Context<RequestIdEnv>,
    request: TurnRequest,
    pack?: () => Promise<string>,
  ): Promise<Response> {
    const { sandboxId, turnId, attempt } = request;
    const stored = storedBy(request);
    const inputHash = await hashInput(request);
    const apiKey = c.req.header(modelKeyHeader);
    const { mcp } = request.options;
    // A request that contains a secret is not stored, so no other process can take over the turn.
    const isKept = apiKey === undefined && !(mcp && (await import("../mcp/for-turn.ts")).holdKeys(mcp));
    const posted = isKept ? await pack?.() : null;
    let running = liveTurn(sandboxId, turnId);
    while (running) {
      const same = running.inputHash === inputHash;
      if (same && attempt > running.attempt) break;
      if (await running.begun) {
        if (!same) throw reused();
        if (attempt < running.attempt) throw overtaken(running.attempt);
        return watch(running, stored, c.req.raw.signal);
      }
      // The other post failed to claim the turn; this request tries and gets its own error.
      running = liveTurn(sandboxId, turnId);
    }
    const keeper = isKept ? deps.keeper : undefined;
    const turn = { sandboxId, turnId };
    const detachAfterMs = continuesUnattended ? Infinity : limits.detachAfterMs;
    const handsOver = keeper !== undefined && deps.host.handsOver === true;
    const live = new LiveTurn(attempt, inputHash, detachAfterMs, { handsOver, leavesUnwatched: handsOver });
    let drive: Awaited<ReturnType<typeof startTurn>>;
    try {
      const watched = keeper?.watch(turn);
      drive = await startTurn(deps, request, live, {
        requestId: c.get("requestId"),
        inputHash,
        apiKey,
        mcpTokens: c.req.header("x-mcp-tokens"),
        posted,
      });
      await watched;
    } catch (error) {
      if (runsElsewhere(error, attempt)) return follow(sandboxId, stored, c.req.raw);
      throw error;
    }
    const queue = live.watch(stored);
    // The platform may kill the request while the turn runs, so the keeper checks on it soon.
    live.detached.addEventListener("abort", () => void keeper?.watch(turn), { once: true });
    keepAlive(
      c,
      drive().then((end) => {
        if (end === "ended") return keeper?.forget(turn);
        if (end !== "elsewhere") return keeper?.take(turn, end === "broken");
      }),
    );
    return stream(live, queue, c.req.raw.signal);
  }

  function liveTurn(sandboxId: string, turnId: string): LiveTurn | undefined {
    return deps.host.sharesTurns ? liveTurns.get(sandboxId, turnId) : undefined;
  }

  function watch(live: LiveTurn, stored: StoredTurn, signal: AbortSignal): Response {
    return stream(live, live.watch(stored), signal);
  }

  function stream(live: LiveTurn, queue: EventQueue, signal: AbortSignal): Response {
    const onDetach = () => {
      if (!continuesUnattended) live.detachUnlessWatched();
    };
    const onAbort = () => {
      queue.close();
      onDetach();
    };
    // workerd aborts the request's signal but does not cancel the body.
    if (!continuesUnattended) signal.addEventListener("abort", onAbort, { once: true });
    return eventStream(queue, { ...streaming, onDetach });
  }

  async function follow(
    sandboxId: string,
    stored: StoredTurn,
    { signal, headers }: Request,
  ): Promise<Response> {
    const detached = new AbortController();
    const { followTurn } = await import("../live/follow.ts");
    const { own } = redactorsOf(deps, headers.get(modelKeyHeader) ?? undefined);
    const either = AbortSignal.any([detached.signal, signal]);
    const events = await followTurn(deps, sandboxId, stored, own, either);
    const queue = new EventQueue(() => detached.abort());
    void passOn(events, queue);
    return eventStream(queue, { ...streaming, onDetach: () => detached.abort() });
  }

  return app;
}

/** The events of a turn that a client has. */
function storedBy(client: { turnId: string; after: number; seen?: string | undefined }): StoredTurn {
  const { turnId, after, seen } = client;
  return { turnId, after, ...(seen === undefined ? {} : { seen }) };
}

/** A follower that loses the sandbox sends `interrupted` and closes; the client then asks again. */
async function passOn(events: AsyncGenerator<TurnEvent>, queue: EventQueue): Promise<void> {
  try {
    for await (const event of events) queue.push(event);
  } catch (error) {
    const info = error instanceof HandrailError ? error.toInfo() : undefined;
    if (info) queue.push({ event: "interrupted", data: { error: info } });
  } finally {
    queue.end();
  }
}

function readPath(c: Context): { sandboxId: string; turnId: string } {
  const path = z.safeParse(TurnPath, c.req.param());
  if (!path.success)
    throw new HandrailError("not_found", "No such turn: ids are 1 to 100 of A-Z a-z 0-9 _ -.");
  return path.data;
}

function reused(): HandrailError {
  return new HandrailError("key_reused", "This turnId is in use for another input already. Mint a new one.");
}

function overtaken(epoch: number): HandrailError {
  return new HandrailError("stale_epoch", "A later attempt of this turn runs already. Follow its events.", {
    details: { epoch },
  });
}

/** Whether the same attempt runs in a process that this one cannot reach. */
function runsElsewhere(error: unknown, attempt: number): boolean {
  return error instanceof HandrailError && error.code === "stale_epoch" && error.details?.epoch === attempt;
}
