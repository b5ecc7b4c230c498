// The test notification, which a person requests in the settings.
import { HandrailError } from "../../shared/errors.ts";
import type { PushSubscriptionInfo } from "../../shared/push.ts";
import type { Deps } from "../deps.ts";
import { type PushOutcome, sendPush } from "./send-push.ts";

/**
 * Throws `unsupported` without keys, `invalid_request` for an address that may not be called, and the errors of
 * `checkAccepted`.
 */
export async function sendTest(deps: Deps, subscription: PushSubscriptionInfo): Promise<void> {
  const { push } = deps.notify;
  if (!push)
    throw new HandrailError(
      "unsupported",
      "This server has no keys for notifications. Set HANDRAIL_VAPID_PUBLIC, HANDRAIL_VAPID_PRIVATE and HANDRAIL_VAPID_SUBJECT.",
    );
  const line = "Notifications arrive on this phone.";
  const news = { kind: "test" as const, sandboxId: "", turnId: "", title: "Handrail", line };
  checkAccepted(await sendPush(deps, push, subscription, news));
}

/**
 * Throws if the service did not accept it: `not_kept` for a subscription that has ended, `rate_limited`,
 * `push_refused`.
 */
export function checkAccepted(pushed: PushOutcome): void {
  if (pushed.is === "accepted") return;
  if (pushed.is === "gone")
    throw new HandrailError(
      "not_kept",
      "The browser has ended this subscription. Turn notifications on again.",
    );
  const { why, status, retryAfterSeconds } = pushed;
  throw new HandrailError(status === 429 ? "rate_limited" : "push_refused", why, {
    retryable: true,
    ...(retryAfterSeconds ? { details: { retryAfterSeconds } } : {}),
  });
}
