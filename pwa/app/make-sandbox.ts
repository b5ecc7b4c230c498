// Asks the server for a sandbox. A server with guest machines makes it in the chosen engine, only once even if requests
// are repeated, and after a queue if there is no room yet.
import type { SandboxAnswer } from "../../shared/api.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { Source } from "../../shared/sandbox.ts";
import type { WantsWorktree } from "../../shared/worktree.ts";
import { newId } from "../browser/ids.ts";
import { api, config, settings } from "./app-state.ts";

/** For a caller that waits in the server's queue for a sandbox. */
export interface InLine {
  /** The place in the queue, from 1. */
  onPlace(place: number): void;
  /** Aborted when the person leaves the page. */
  over: AbortSignal;
}

/** Throws the server's HandrailError, or the signal's reason. */
export async function makeSandbox(
  source?: Source,
  worktree?: WantsWorktree,
  line?: InLine,
): Promise<SandboxAnswer> {
  const engines = config.value?.sandbox.engines;
  const chosen = engines?.find(({ name }) => name === settings.value.engine)?.name;
  const guest = engines && { key: newId(), ...(chosen && { engine: chosen }) };
  for (;;) {
    try {
      return await api.createSandbox(source, worktree, guest);
    } catch (error) {
      const { place, retryAfterSeconds } = (error instanceof HandrailError && error.details) || {};
      if (typeof place !== "number" || line === undefined) throw error;
      line.onPlace(place);
      // The server keeps the place in the queue only while the request is repeated in time.
      await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(retryAfterSeconds)));
      line.over.throwIfAborted();
    }
  }
}
