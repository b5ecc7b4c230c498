// Notifications in words: what prevents them and how to fix that, and the names of their kinds.
import type { KindToChoose } from "../storage/notify.ts";

/** Why this device gets none. */
export type Prevented = "insecure" | "install" | "unsupported" | "server" | "denied";

export const preventedInWords: Record<Prevented, string> = {
  insecure: "This page comes over plain http. Browsers deliver notifications only to pages with https.",
  install:
    "iPhones and iPads notify only apps on the home screen: tap Share, then Add to Home Screen, and open Handrail from there.",
  unsupported: "This browser cannot receive notifications.",
  server:
    "The server has no keys for notifications. npm start and npm run deploy make them once HANDRAIL_VAPID_SUBJECT names your email or an https address.",
  denied:
    "Notifications are blocked here. To allow them, tap the sign beside the address and then Permissions; in an installed app, open the system's settings for Handrail.",
};

export const kindNames: Record<KindToChoose, string> = {
  questions: "Questions",
  proposal: "Plans to approve",
  permission: "Permissions",
  end: "Finished",
  failure: "Failed",
};

/** "22:30" for minutes after midnight, in the form of a time field. */
export function clockOf(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** The minutes after midnight; undefined if the field contains no time. */
export function minuteOf(clock: string): number | undefined {
  const [hours, minutes] = clock.split(":").map(Number);
  return hours === undefined || minutes === undefined ? undefined : hours * 60 + minutes;
}
