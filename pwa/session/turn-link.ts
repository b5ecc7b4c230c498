// Builds the requests of one turn: what to post, and from which event to follow.
import { HandrailError } from "../../shared/errors.ts";
import { messagesOf } from "../../shared/session/history.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { takeable } from "../../shared/session/takeable.ts";
import { buildTurnRequest } from "../../shared/session/turn-request.ts";
import type { Api } from "../api/client.ts";
import type { Kv } from "../storage/kv.ts";
import { notifyOption, readNotify } from "../storage/notify.ts";
import type { OutboxTurn } from "../storage/outbox.ts";
import { loadForTurn } from "../storage/session-store.ts";
import type { TurnRunnerDeps } from "../turn/turn-runner.ts";

export interface TurnHost {
  sessionId: string;
  sandboxId: string;
  kv: Kv;
  api: Api;
  /** The state with all received events folded in. */
  current(): SessionState;
  /** Id of this installation. */
  client: string | undefined;
  /** The last durable event of the turn that is stored here; the server may drop everything up to it. */
  stored(): { after: number; seen?: string | undefined };
  /**
   * Resolves when the outbox holds this attempt, since the request is sent only then. Throws if it must not be sent.
   */
  markSent(attempt: number): Promise<void>;
}

/** The requests of one turn. Every attempt sends the same history: the entries from before the turn. */
export function turnRequests(
  host: TurnHost,
  turn: OutboxTurn,
): Pick<TurnRunnerDeps, "post" | "follow" | "after"> {
  const { sessionId, sandboxId, kv, api, client } = host;
  return {
    post: async (attempt, signal) => {
      await host.markSent(attempt);
      const headers = api.keyHeaders(turn.model?.provider);
      const tokens = turn.mcp ? await api.mcpHeaders(turn.mcp) : {};
      const word = turn.counts && { counts: turn.counts };
      const known = { ...host.stored(), client, ...(turn.stored && { stored: turn.stored }), ...word };
      // The server keeps the first attempt's request, unless it was posted with the person's own key.
      if (turn.other) {
        const resumed = await api.resumeTurn(
          sandboxId,
          turn.turnId,
          { ...host.stored(), client, attempt, ...word },
          signal,
        );
        if (resumed !== undefined) return resumed;
        // Throws if the session is gone.
        await api.sandbox(sandboxId);
        throw new HandrailError("sandbox_unreachable", "It waits for the device that sent it.", {
          retryable: true,
        });
      }
      if (attempt > 1 && turn.counts !== "client" && Object.keys(headers).length === 0) {
        const resumed = await api.resumeTurn(sandboxId, turn.turnId, { ...known, attempt }, signal, tokens);
        if (resumed !== undefined) return resumed;
      }
      const messages = takeable(messagesOf(await loadForTurn(kv, sessionId, host.current(), turn)));
      // Read the subscription now, because the browser may have replaced it since the turn was written. If it cannot be
      // read, the turn is sent without it.
      const notify = notifyOption(await readNotify(kv).catch(() => ({})), new Date());
      const parts = { ...turn, ...host.stored(), client, attempt, sandboxId, messages, notify };
      const body = buildTurnRequest(parts);
      return api.send("/turn", {
        method: "POST",
        body: JSON.stringify(body),
        signal,
        headers: { ...headers, ...tokens },
      });
    },
    follow: (signal) => {
      const { after, seen } = host.stored();
      const query = `after=${after}${seen === undefined ? "" : `&seen=${seen}`}`;
      return api.send(`/turns/${sandboxId}/${turn.turnId}/events?${query}`, { signal });
    },
    after: () => {
      const { turn: current } = host.current().head;
      return current?.id === turn.turnId ? current.lastEventId : 0;
    },
  };
}
