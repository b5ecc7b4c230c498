// Decides what one command may reach through the proxy, and lists what it was refused.
import type { RefusedHost } from "../../shared/network.ts";
import * as limits from "../limits.ts";
import { type HostAndPort, isLocalName, isWebPort, shownHost } from "./host-name.ts";
import { type HostRule, ruleFor } from "./host-rules.ts";
import type { Reach } from "./reach.ts";

/**
 * How the client's first bytes are checked: they must be a TLS hello with the right name; they must be one if
 * they are TLS at all; or they are not checked.
 */
export type Look = "tls" | "if-tls" | "none";

export interface ProxyPolicy {
  /** undefined = every public host, at every port. */
  rules: readonly HostRule[] | undefined;
}

export type Judged = { look: Look } | { problem: "not_allowed" | "private_address" };

/** Judges by the requested name alone. The addresses of an allowed name are checked when it is dialled. */
export function judge(
  { rules }: ProxyPolicy,
  { forbidden }: Pick<Reach, "forbidden">,
  { host, port }: HostAndPort,
): Judged {
  // Refused without a lookup, because a question to a resolver can carry data out too.
  if (host.literal ? forbidden(host.name) : isLocalName(host)) return { problem: "private_address" };
  if (rules === undefined) return { look: "none" };
  const rule = ruleFor(rules, host, port);
  if (!rule) return { problem: "not_allowed" };
  // A port that a rule names may lead to anything: a registry, ssh, a database.
  return { look: isWebPort(port) ? "tls" : "if-tls" };
}

type RefusalReason = RefusedHost["reason"];

/** The hosts that one command was refused: each once, in the order of its requests. */
export class Refusals {
  readonly #found = new Map<string, RefusedHost>();

  add(target: HostAndPort, reason: RefusalReason): void {
    const shown = shownHost(target);
    if (this.#found.size < limits.netRefusals && !this.#found.has(shown))
      this.#found.set(shown, { host: shown, reason });
  }

  get list(): RefusedHost[] {
    return [...this.#found.values()];
  }
}
