// A turn's request as the sandbox keeps it, so that somebody else than its client can go on with the turn.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { PostedTurn } from "../../shared/journal.ts";
import { type ResumeRequest, TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { unpacked } from "../gzip.ts";

/** Throws `not_found` where nothing is kept, or nothing that this version can read. */
export async function keptRequest(
  deps: Pick<Deps, "sandbox">,
  sandboxId: string,
  turnId: string,
  asked: ResumeRequest,
): Promise<TurnRequest> {
  return withAttempt(await readRequest(await deps.sandbox.posted(sandboxId, turnId, false)), asked);
}

/** The same for a runner without a client: undefined where somebody runs the turn. */
export async function idleRequest(
  deps: Pick<Deps, "sandbox">,
  sandboxId: string,
  turnId: string,
): Promise<TurnRequest | undefined> {
  const kept = await deps.sandbox.posted(sandboxId, turnId, true);
  if (kept.attended) return undefined;
  const request = await readRequest(kept);
  // This runner stores no events and does not speak for the client.
  return withAttempt(request, { attempt: kept.epoch + 1, after: 0, client: request.client });
}

async function readRequest({ posted, notify }: PostedTurn): Promise<TurnRequest> {
  const text = posted === undefined ? "" : await unpacked(posted).catch(() => "");
  const { data } = z.safeParse(TurnRequest, text === "" ? undefined : JSON.parse(text));
  if (data) return notify ? { ...data, options: { ...data.options, notify } } : data;
  throw new HandrailError(
    "not_found",
    "What is kept of this turn's request cannot be read. Post the turn itself.",
  );
}

function withAttempt(request: TurnRequest, asked: ResumeRequest): TurnRequest {
  const { seen: _, stored: __, counts: ___, client: ____, ...same } = request;
  return { ...same, ...asked };
}
