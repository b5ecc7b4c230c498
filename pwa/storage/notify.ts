// What this device keeps of notifications: the browser's subscription, and what the person wants to be told and when.
import * as z from "zod/mini";
import { type NotifyOption, PushSubscriptionInfo } from "../../shared/push.ts";
import type { Kv } from "./kv.ts";

/** The kinds that can be off, in the order of the settings. */
export const kindsToChoose = ["questions", "proposal", "permission", "end", "failure"] as const;
export type KindToChoose = (typeof kindsToChoose)[number];

/** Missing or invalid values count as not set; the others are used. */
export const Notify = z.object({
  /** Missing = off. */
  subscription: z.catch(z.optional(PushSubscriptionInfo), undefined),
  /** The server's key that the browser subscribed with. */
  publicKey: z.catch(z.optional(z.string()), undefined),
  /** The person has answered the offer, or was told what prevents it. */
  asked: z.catch(z.optional(z.boolean()), undefined),
  off: z.catch(z.optional(z.array(z.enum(kindsToChoose))), undefined),
  /** Minutes after midnight of the person's own time. */
  quiet: z.catch(z.optional(z.object({ from: z.number(), to: z.number() })), undefined),
  runningMinutes: z.catch(z.optional(z.number()), undefined),
  /** false = notifications have no buttons. */
  buttons: z.catch(z.optional(z.boolean()), undefined),
});
export type Notify = z.infer<typeof Notify>;

const key = "notify";

export async function readNotify(kv: Kv): Promise<Notify> {
  return parsed(await kv.get(key));
}

/** Changes the stored value, whoever wrote it, and returns the new one. */
export function changeNotify(kv: Kv, change: Partial<Notify>): Promise<Notify> {
  return kv.update(key, (old) => ({ ...parsed(old), ...change }));
}

function parsed(stored: unknown): Notify {
  const notify = z.safeParse(Notify, stored);
  return notify.success ? notify.data : {};
}

/** What a turn says of whom to call; undefined if nobody is. `now`: gives the offset of the person's own time. */
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
