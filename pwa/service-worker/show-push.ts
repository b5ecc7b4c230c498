// A push becomes a notification: one for each session, replacing the previous one. Browsers end the subscription of a
// worker that shows nothing, so every push is shown; the server does not send kinds that are off.
import * as z from "zod/mini";
import { News } from "../../shared/push.ts";
import { hiddenIn, visibleText } from "../../shared/visible-text.ts";
import type { Kv } from "../storage/kv.ts";
import { readNotify } from "../storage/notify.ts";
import { listRecords, type SessionRecord } from "../storage/session-record.ts";
import { openPages, type ShownOptions, scope } from "./scope.ts";
import { notificationTag, type ShownData, showBadge } from "./shown-notifications.ts";

/** Only the part of the outbox that is used here: the whole schema would be most of this script. */
const TurnInOutbox = z.object({ turn: z.object({ turnId: z.string() }) });

/** `text` is the payload, decrypted by the browser. Rejects only if no notification can be shown. */
export async function showPush(kv: Kv, text: string): Promise<void> {
  const news = readNews(text);
  if (news === undefined) return show("Handrail", { body: "Open Handrail to see what is new." });
  const { kind, line, ask, turnId } = news;
  // The server has already marked hidden characters, so they are not marked again here.
  const body = hiddenIn(line).length === 0 ? line : visibleText(line, "line");
  if (kind === "test") {
    await show(news.title, { body, tag: "test" });
    for (const page of await openPages()) page.postMessage({ arrived: Date.now() });
    return;
  }
  const session = await sessionOf(kv, news).catch(() => undefined);
  const { buttons } = await readNotify(kv).catch(() => ({ buttons: undefined }));
  // A line with marked characters does not show the whole text, so it gets no buttons.
  const isWhole =
    ask !== undefined && visibleText(line, "line") === line && session !== undefined && buttons !== false;
  const data: ShownData = {
    kind,
    turnId,
    ...(session === undefined ? {} : { sessionId: session.id }),
    ...(isWhole ? { ask } : {}),
  };
  await show(session === undefined ? news.title : visibleText(session.title, "line"), {
    body,
    data,
    tag: notificationTag(session?.id ?? news.sandboxId),
    renotify: true,
    ...(isWhole ? { actions: actionsOf(ask) } : {}),
  });
  for (const page of await openPages()) page.postMessage({ shown: true });
  await showBadge(kv);
}

/** Shows a notification, with the options that all of ours have in common. */
export function show(title: string, options: ShownOptions): Promise<void> {
  return scope.registration.showNotification(title, {
    icon: "/icon-192.png",
    badge: "/badge-96.png",
    ...options,
  });
}

function readNews(text: string): News | undefined {
  try {
    const parsed = z.safeParse(News, JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function actionsOf({ options }: NonNullable<News["ask"]>): NonNullable<ShownOptions["actions"]> {
  if (options !== undefined) return options.map((title, at) => ({ action: String(at), title }));
  return [
    { action: "once", title: "Allow once" },
    { action: "deny", title: "Deny" },
  ];
}

/**
 * The session that posted the turn. If several sessions share a sandbox and none is named, it is the one that changed
 * last.
 */
async function sessionOf(kv: Kv, { sandboxId, turnId }: News): Promise<SessionRecord | undefined> {
  const there = (await listRecords(kv)).filter((record) => record.sandboxId === sandboxId);
  if (there.length < 2) return there[0];
  const outboxes = await kv.getMany(there.map(({ id }) => `outbox/${id}`));
  const posted = outboxes.findIndex(
    (outbox) => z.safeParse(TurnInOutbox, outbox).data?.turn.turnId === turnId,
  );
  return there[Math.max(0, posted)];
}
