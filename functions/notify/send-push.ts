// Sends one notification to a push service: encrypted for the browser (RFC 8291), signed by the server (RFC 8292).
// Loaded with the first notification.
import { encryptNotification } from "@block65/webcrypto-web-push";
import type { News, PushSubscriptionInfo } from "../../shared/push.ts";
import { base64url, bytesOf } from "../base64url.ts";
import * as limits from "../limits.ts";
import { checkedEndpoint } from "./push-address.ts";
import type { PushSettings } from "./push-settings.ts";

const text = new TextEncoder();

export interface PushDeps {
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The result. `gone`: the browser has ended the subscription, so nothing must be sent to it again. */
export type PushOutcome =
  | { is: "accepted" }
  | { is: "gone" }
  | { is: "refused"; why: string; status?: number; retryAfterSeconds?: number };

/** Throws only for an address that may not be called: `invalid_request`. */
export async function sendPush(
  { fetch, now }: PushDeps,
  settings: PushSettings,
  subscription: PushSubscriptionInfo,
  news: News,
): Promise<PushOutcome> {
  const url = checkedEndpoint(subscription.endpoint, settings.origins);
  let response: Response;
  try {
    const body = await encryptNotification(
      { ...subscription, expirationTime: null },
      text.encode(JSON.stringify(news)),
    );
    response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(limits.pushMs),
      body,
      headers: {
        authorization: `vapid t=${await tokenFor(url.origin, settings, now())}, k=${settings.publicKey}`,
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(limits.pushKeptSeconds),
        urgency: "high",
        // A later push for the session replaces one that has not been delivered yet (RFC 8030, 5.4).
        ...(news.sandboxId ? { topic: await topicOf(news.sandboxId) } : {}),
      },
    });
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    const why = isTimeout
      ? `${url.host} did not answer within ${limits.pushMs / 1_000} seconds.`
      : `${url.host} could not be reached, or the subscription's keys are none.`;
    return { is: "refused", why };
  }
  await response.body?.cancel().catch(() => undefined);
  return judged(response, url.host);
}

/** The meaning of the status: https://www.rfc-editor.org/rfc/rfc8030#section-5 and the services' documentation. */
function judged({ status, ok, headers }: Response, host: string): PushOutcome {
  if (ok) return { is: "accepted" };
  if (status === 404 || status === 410) return { is: "gone" };
  const after = Math.ceil(Number(headers.get("retry-after")));
  const wait = after > 0 ? { retryAfterSeconds: Math.min(after, limits.pushLaterSeconds) } : {};
  if (status === 429)
    return { is: "refused", status, why: `${host} is sent too much at the moment (429).`, ...wait };
  if (status === 413) return { is: "refused", status, why: `${host} takes no message of this size (413).` };
  if (status === 401 || status === 403) {
    const why = `${host} does not accept the server's VAPID keys or HANDRAIL_VAPID_SUBJECT (${status}).`;
    return { is: "refused", status, why };
  }
  const why = status >= 300 && status < 400 ? `${host} leads elsewhere` : `${host} refused the message`;
  return { is: "refused", status, why: `${why} (${status}).`, ...wait };
}

/** RFC 8292, 2: the audience is the push service's origin, and the token is valid for at most a day. */
async function tokenFor(origin: string, { publicKey, privateKey, subject }: PushSettings, nowMs: number) {
  const point = bytesOf(publicKey);
  const key = {
    kty: "EC",
    crv: "P-256",
    x: base64url(point.slice(1, 33)),
    y: base64url(point.slice(33)),
    d: privateKey,
  };
  const exp = Math.floor(nowMs / 1_000) + 12 * 60 * 60;
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const signs = await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]);
  const parts = [
    { typ: "JWT", alg: "ES256" },
    { aud: origin, exp, sub: subject },
  ];
  const signed = parts.map((part) => base64url(text.encode(JSON.stringify(part)))).join(".");
  // Web Crypto returns the signature in the form of RFC 7518, 3.4.
  return `${signed}.${base64url(await crypto.subtle.sign(algorithm, signs, text.encode(signed)))}`;
}

/** A topic has at most 32 characters of base64url. */
async function topicOf(sandboxId: string): Promise<string> {
  return base64url(await crypto.subtle.digest("SHA-256", text.encode(sandboxId))).slice(0, 32);
}
