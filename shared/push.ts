// A browser's push subscription, and the content of a notification. Both are sent encrypted as in RFC 8291.
import * as z from "zod/mini";

const asGiven = "must be as the browser gave it";
/** Unpadded base64url: 65 bytes (an uncompressed point of P-256), and 16 bytes (RFC 8291, 3.1 and 3.2). */
const p256dh = z.string().check(z.regex(/^B[\w-]{86}=?$/, asGiven));
const auth = z.string().check(z.regex(/^[\w-]{22}(==)?$/, asGiven));

/** https://www.w3.org/TR/push-api/#dom-pushsubscriptionjson without `expirationTime`, which the phone handles. */
export const PushSubscriptionInfo = z.object({
  endpoint: z.string().check(z.maxLength(2_000)),
  keys: z.object({ p256dh, auth }),
});
export type PushSubscriptionInfo = z.infer<typeof PushSubscriptionInfo>;

const minuteOfDay = z.number().check(z.int(), z.gte(0), z.lt(1_440));

/** A subscription, with what its owner wants to be told, and when. */
export const NotifyOption = z.object({
  ...PushSubscriptionInfo.shape,
  /** The kinds of news that are sent; absent = all. Names that the server does not know are ignored. */
  kinds: z.optional(z.array(z.string())),
  /** Nothing is sent between `from` and `to`, in minutes after midnight UTC; `to` may be the smaller one. */
  quiet: z.optional(z.object({ from: minuteOfDay, to: minuteOfDay })),
  /**
   * After this many minutes, one notification says that the turn is still running, if no client watches it then; absent
   * = never.
   */
  runningMinutes: z.optional(z.number().check(z.positive(), z.lte(1_440))),
});
export type NotifyOption = z.infer<typeof NotifyOption>;

export const PushTest = z.strictObject({ subscription: PushSubscriptionInfo });

/** Why a person is notified. `running`: the turn is still running. `test`: requested in the settings. */
export const NewsKind = z.literal([
  "questions",
  "proposal",
  "permission",
  "end",
  "failure",
  "running",
  "test",
]);
export type NewsKind = z.infer<typeof NewsKind>;

/** A decision that can be made from the notification itself, because `line` contains everything that is asked. */
export const NewsAsk = z.object({
  toolCallId: z.string(),
  /** The command that needs permission; absent for a question. */
  command: z.optional(z.string()),
  /** The labels of the question's one or two options, in order. */
  options: z.optional(z.array(z.string())),
});
export type NewsAsk = z.infer<typeof NewsAsk>;

/** The content of a notification. It never contains code or the contents of a file. */
export const News = z.object({
  kind: NewsKind,
  /** "" in a test, as is `turnId`. */
  sandboxId: z.string(),
  turnId: z.string(),
  /** The session's title, taken from its first message. */
  title: z.string(),
  /** A text of one line. */
  line: z.string(),
  ask: z.optional(NewsAsk),
});
export type News = z.infer<typeof News>;
