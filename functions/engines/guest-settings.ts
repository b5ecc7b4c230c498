// Settings of guests that all engines read in the same way.
import { HandrailError } from "../../shared/errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A number above 0, or `absent` if the variable is not set. Throws `invalid_request`. */
export function numberOf<A extends number | undefined>(
  env: Variables,
  name: string,
  absent: A,
  what: string,
): number | A {
  const text = env[name];
  if (!text) return absent;
  const amount = Number(text);
  if (amount > 0 && Number.isFinite(amount)) return amount;
  throw new HandrailError("invalid_request", `${name}: write ${what}, a number above 0.`);
}

/**
 * Minutes without use after which a guest goes to sleep. A person who reads an answer returns within a
 * quarter of an hour.
 */
export function minutesOf(env: Variables): number {
  return numberOf(env, "HANDRAIL_GUEST_IDLE_MINUTES", 15, "the minutes after which an unused guest sleeps");
}
