// What a browser subscribes with, and what a notification tells it. Both cross the wire, encrypted by RFC 8291.
import * as z from "zod/mini";

const asGiven = "must be as the browser gave it";
/** Unpadded base64url of 65 bytes (an uncompressed point of P-256), and of 16 (RFC 8291, 3.1 and 3.2). */
const p256dh = z.string().check(z.regex(/^B[\w-]{86}=?$/, asGiven));
const auth = z.string().check(z.regex(/^[\w-]{22}(==)?$/, asGiven));

/** https://www.w3.org/TR/push-api/#dom-pushsubscriptionjson, without the time of its end: the phone sees to that. */
export const PushSubscriptionInfo = z.object({
  endpoint: z.string().check(z.maxLength(2_000)),
  keys: z.object({ p256dh, auth }),
});
export type PushSubscriptionInfo = z.infer<typeof PushSubscriptionInfo>;

const minuteOfDay = z.number().check(z.int(), z.gte(0), z.lt(1_440));

/** A subscription with what its person wants to be told, and when. */
export const NotifyOption = z.object({
  ...PushSubscriptionInfo.shape,
  /** Kinds of news that are sent; absent = all. Names that the server does not know are none of its news. */
  kinds: z.optional(z.array(z.string())),
  /** Nothing is sent from `from` until `to`, minutes after midnight UTC; `to` may be the smaller one. */
  quiet: z.optional(z.object({ from: minuteOfDay, to: minuteOfDay })),
  /** After this many minutes, says once that the turn still runs, if nobody watches it then; absent = never. */
  runningMinutes: z.optional(z.number().check(z.positive(), z.lte(1_440))),
});
export type NotifyOption = z.infer<typeof NotifyOption>;

export const PushTest = z.strictObject({ subscription: PushSubscriptionInfo });

/** Why somebody is notified. `running`: the turn still runs. `test`: requested in the settings. */
export const NewsKind = z.enum(["questions", "proposal", "permission", "end", "failure", "running", "test"]);
export type NewsKind = z.infer<typeof NewsKind>;

/** What can be decided from the notification itself, because `line` holds all that is asked. */
export const NewsAsk = z.object({
  toolCallId: z.string(),
  /** The command to be allowed; absent for a question. */
  command: z.optional(z.string()),
  /** Labels of the one question's one or two options, in order. */
  options: z.optional(z.array(z.string())),
});
export type NewsAsk = z.infer<typeof NewsAsk>;

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
  ask: z.optional(NewsAsk),
});
export type News = z.infer<typeof News>;
