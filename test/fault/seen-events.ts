// Records the durable events that were sent to the phone, and checks that the phone keeps each of them once,
// byte for byte.
import type { Entry } from "../../shared/session/session-state.ts";
import type { Problem } from "./problem.ts";

export class SeenEvents {
  /** The text on the wire, by turn and id. */
  readonly #seen = new Map<string, string>();
  readonly problems: Problem[] = [];

  /** `part`: one event of the turn's stream, including the empty line after it. */
  see(turnId: string, part: string): void {
    const id = eventId(part);
    if (id === undefined) return;
    const key = `${turnId}#${id}`;
    const before = this.#seen.get(key);
    if (before === undefined) this.#seen.set(key, part);
    else if (before !== part)
      this.#found("a durable event changed", `event ${key} was sent as\n${before}and later as\n${part}`);
  }

  /** The person chose another history of this turn, so all events from this one on are new. */
  forget(turnId: string): void {
    for (const key of this.#seen.keys()) if (key.startsWith(`${turnId}#`)) this.#seen.delete(key);
  }

  /** The phone must keep all events that it was sent. Plan events are folded and are not kept as entries. */
  compare(entries: readonly Entry[]): void {
    const kept = new Set<string>();
    for (const { turnId, id, event, data } of entries) {
      const key = `${turnId}#${id}`;
      if (kept.has(key)) this.#found("a durable event changed", `the phone keeps event ${key} twice`);
      kept.add(key);
      if (
        withoutHash(this.#seen.get(key)) !== `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      )
        this.#found("a durable event changed", `the phone keeps event ${key} otherwise than it was sent`);
    }
    for (const [key, text] of this.#seen)
      if (!kept.has(key) && !/^id: \d+\nevent: plan\n/.test(withoutHash(text) ?? ""))
        this.#found("a durable event was lost", `event ${key} was sent and is lost`);
  }

  #found(rule: Problem["rule"], text: string): void {
    this.problems.push({ rule, text });
  }
}

/**
 * Removes the running hash. It is sent with the event, `see` compares it, and the phone keeps one for each
 * turn.
 */
function withoutHash(text: string | undefined): string | undefined {
  return text?.replace(/^seen: .*\n/m, "");
}

/** Returns the event's id, or undefined for ephemeral events. */
export function eventId(part: string): string | undefined {
  return /^id: (\d+)$/m.exec(part)?.[1];
}

/** The turn that a request is about. A body may also name an earlier one, which the phone has stored. */
export function turnOf(path: string, body: string): string {
  const [, named] = /\/turns\/[^/]+\/([^/]+)\//.exec(path) ?? [];
  return named ?? /"turnId":"([^"]+)"/.exec(body)?.[1] ?? "";
}
