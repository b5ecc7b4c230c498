// What a notification of ours is known by: its tag, and what it carries for when it is tapped.
import * as z from "zod/mini";
import { NewsAsk, NewsKind } from "../../shared/push.ts";

export const ShownData = z.object({
  kind: NewsKind,
  /** Missing where this device does not have the session. */
  sessionId: z.optional(z.string()),
  turnId: z.string(),
  /** What its buttons decide; missing = it has none. */
  ask: z.optional(NewsAsk),
});
export type ShownData = z.infer<typeof ShownData>;

/** One for each session: a later one takes the place of the one before. */
export function notificationTag(sessionId: string): string {
  return `session/${sessionId}`;
}

export function shownData({ data }: Notification): ShownData | undefined {
  const parsed = z.safeParse(ShownData, data);
  return parsed.success ? parsed.data : undefined;
}
