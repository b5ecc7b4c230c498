// Tells which clients posted a turn, and how much of it each says it has stored. A pure fold over claims.
import * as z from "zod/mini";
import { StoredTurn } from "../../shared/turn.ts";
import type { StoredLine } from "./journal-lines.ts";

/** The part of a claim about the client that posted the turn. Clients without a name count as one. */
const Claimed = z.object({
  client: z._default(z.string(), ""),
  after: z._default(z.number(), 0),
  stored: z.optional(z.unknown()),
});

interface Posted {
  /** Position of its first claim among the lines of all turns. */
  n: number;
  /** Id of the last event that each client has stored. */
  clients: Map<string, number>;
}

export class Acknowledged {
  readonly #turns = new Map<string, Posted>();

  /** Applies a `claim` line of the turn `turnId`. `n`: its position among the lines of all turns. */
  claim(turnId: string, n: number, line: StoredLine): void {
    const claimed = z.safeParse(Claimed, line);
    if (!claimed.success) return;
    const { client, after } = claimed.data;
    const stored = z.safeParse(StoredTurn, claimed.data.stored).data;
    const posted = this.#turns.get(turnId) ?? { n, clients: new Map() };
    this.#turns.set(turnId, posted);
    raise(posted.clients, client, after);
    const earlier = stored && this.#turns.get(stored.turnId);
    if (!stored || !earlier?.clients.has(client)) return;
    raise(earlier.clients, client, stored.after);
    // A client sends a turn only when it has everything before it. For a turn that another client posted too,
    // that client must say so itself.
    for (const { n: at, clients } of this.#turns.values())
      if (at < earlier.n && clients.size === 1 && clients.has(client)) clients.set(client, Infinity);
  }

  /** Whether every client that posted the turn has stored its events up to `lastId`. */
  byAll(turnId: string, lastId: number): boolean {
    const clients = this.#turns.get(turnId)?.clients;
    return clients !== undefined && [...clients.values()].every((after) => after >= lastId);
  }
}

function raise(clients: Map<string, number>, client: string, after: number): void {
  clients.set(client, Math.max(clients.get(client) ?? 0, after));
}
