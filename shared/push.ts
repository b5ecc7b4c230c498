// What a browser subscribes with, and what a notification tells it. Both cross the wire, encrypted by RFC 8291.
import * as z from "zod/mini";

/** Unpadded base64url of 65 bytes (an uncompressed point of P-256), and of 16 (RFC 8291, 3.1 and 3.2). */
const p256dh = z
  .string()
  .check(z.regex(/^B[A-Za-z0-9_-]{86}=?$/, "must be the subscription's key, as the browser gave it"));
const auth = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{22}(==)?$/, "must be the subscription's secret, as the browser gave it"));

/** https://www.w3.org/TR/push-api/#dom-pushsubscriptionjson */
export const PushSubscriptionInfo = z.object({
  endpoint: z.string().check(z.maxLength(2_000)),
  expirationTime: z.optional(z.nullable(z.number())),
  keys: z.object({ p256dh, auth }),
});
export type PushSubscriptionInfo = z.infer<typeof PushSubscriptionInfo>;

export const PushTest = z.strictObject({ subscription: PushSubscriptionInfo });

/** Why somebody is called. `test`: asked for in the settings. */
export const NewsKind = z.enum(["questions", "proposal", "permission", "end", "failure", "test"]);
export type NewsKind = z.infer<typeof NewsKind>;

/** What a notification holds: never code, never the contents of a file. */
export const News = z.object({
  kind: NewsKind,
  /** "" in a test, like `turnId`. */
  sandboxId: z.string(),
  turnId: z.string(),
  /** The session's, as its first message names it. */
  title: z.string(),
  /** One line. */
  line: z.string(),
});
export type News = z.infer<typeof News>;
