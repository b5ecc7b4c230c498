// The notification data of this device: the browser's subscription, and which events the person wants to be told of and
// when.
import * as z from "zod/mini";
import { type NotifyOption, PushSubscriptionInfo } from "../../shared/push.ts";
import type { Kv } from "./kv.ts";

/** The kinds that can be switched off, in the order of the settings. */
export const kindsToChoose = ["questions", "proposal", "permission", "end", "failure"] as const;
export type KindToChoose = (typeof kindsToChoose)[number];

/** Missing or invalid values count as not set; the others are used. */
export const Notify = z.object({
  /** Missing if notifications are off. */
  subscription: z.catch(z.optional(PushSubscriptionInfo), undefined),
  /** The server's key with which the browser subscribed. */
  publicKey: z.catch(z.optional(z.string()), undefined),
  /** True if the person has answered the offer, or was told what prevents notifications. */
  asked: z.catch(z.optional(z.boolean()), undefined),
  off: z.catch(z.optional(z.array(z.enum(kindsToChoose))), undefined),
  /** Minutes after midnight in the person's own time zone. */
  quiet: z.catch(z.optional(z.object({ from: z.number(), to: z.number() })), undefined),
  runningMinutes: z.catch(z.optional(z.number()), undefined),
  /** False if notifications have no buttons. */
  buttons: z.catch(z.optional(z.boolean()), undefined),
});
export type Notify = z.infer<typeof Notify>;

const key = "notify";

export async function readNotify(kv: Kv): Promise<Notify> {
  return parsed(await kv.get(key));
}

/** Changes the stored value, even if another tab wrote it, and returns the new one. */
export function changeNotify(kv: Kv, change: Partial<Notify>): Promise<Notify> {
  return kv.update(key, (old) => ({ ...parsed(old), ...change }));
}

function parsed(stored: unknown): Notify {
  const notify = z.safeParse(Notify, stored);
  return notify.success ? notify.data : {};
}

/**
 * The part of a turn's request that says where to send notifications; undefined if they are off. `now` is needed for
 * the time zone's offset.
 */
export function notifyOption(notify: Notify, now: Date): NotifyOption | undefined {
  const { subscription, off = [], quiet, runningMinutes } = notify;
  if (subscription === undefined) return undefined;
  const kinds = kindsToChoose.filter((kind) => !off.includes(kind));
  const inUtc = (minute: number) => (((minute + now.getTimezoneOffset()) % 1_440) + 1_440) % 1_440;
  return {
    ...subscription,
    ...(off.length === 0 ? {} : { kinds }),
    ...(quiet === undefined ? {} : { quiet: { from: inUtc(quiet.from), to: inUtc(quiet.to) } }),
    ...(runningMinutes === undefined ? {} : { runningMinutes }),
  };
}
