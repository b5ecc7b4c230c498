// Handles a tap on a notification: it opens the question, or gives the answer that a button names.

import type { Given } from "../session/give-answer.ts";
import { isKept, type KeptAnswer, keepAnswer, listAnswers, settleAnswer } from "../storage/kept-answer.ts";
import type { Kv } from "../storage/kv.ts";
import { giveHere } from "./answers-script.ts";
import { type NotificationEvent, openPages, scope } from "./scope.ts";
import { show } from "./show-push.ts";
import { notificationTag, type ShownData, showBadge, shownData } from "./shown-notifications.ts";

/** The tag of the browser's event that announces a connection. */
export const syncTag = "answers";

export async function onTap(kv: Kv, { notification, action }: NotificationEvent): Promise<void> {
  notification.close();
  const data = shownData(notification);
  const answer = data === undefined ? undefined : answerOf(data, action);
  if (answer === undefined) return open(data?.sessionId);
  // The answer was stored before, so this is a second tap.
  if (!(await keepAnswer(kv, answer))) return;
  // The sync is registered first: if this worker is ended meanwhile, the browser starts it again for the sync.
  const comesBack = await wantSync();
  const given = await give(kv, answer);
  if (given !== undefined) await tell(answer, given, comesBack, notification.title);
  await showBadge(kv);
}

/** Rejects if an answer has to be tried again, because browsers repeat a sync that fails. */
export async function giveAllKept(kv: Kv): Promise<void> {
  const given = [];
  for (const answer of await listAnswers(kv)) given.push(await give(kv, answer));
  if (given.some((one) => one?.is === "waits")) throw new Error("There is still no connection.");
}

/** The button's answer; undefined for a tap on the notification itself. */
function answerOf({ sessionId, turnId, ask }: ShownData, action: string): KeptAnswer | undefined {
  if (sessionId === undefined || ask === undefined || action === "") return undefined;
  const { toolCallId, command, options } = ask;
  const bound = { sessionId, turnId, toolCallId, state: "kept" as const };
  const picked = Number(action);
  const label = options?.[picked];
  if (options !== undefined && label !== undefined) return { ...bound, label, answer: { options, picked } };
  if (command === undefined || (action !== "once" && action !== "deny")) return undefined;
  const decision = action;
  return { ...bound, label: action === "once" ? "Allow once" : "Deny", answer: { decision, command } };
}

let giving: Promise<unknown> = Promise.resolve();

/**
 * Gives answers one at a time, because each takes its session from the tab that writes it. Resolves to undefined if a
 * page gives the answer, or if it was given before.
 */
function give(kv: Kv, answer: KeptAnswer): Promise<Given | undefined> {
  const given = giving.then(() => giveOne(kv, answer));
  giving = given.catch(() => undefined);
  return given;
}

async function giveOne(kv: Kv, answer: KeptAnswer): Promise<Given | undefined> {
  if (!(await isKept(kv, answer))) return undefined;
  const given = await giveHere(kv, answer);
  if (given !== undefined && given.is !== "waits") await settleAnswer(kv, answer);
  return given;
}

async function tell(answer: KeptAnswer, given: Given, comesBack: boolean, title: string): Promise<void> {
  if (given.is === "sent") return;
  const { sessionId, turnId, label } = answer;
  const when = comesBack ? "when there is a connection" : "when you open Handrail";
  const words = {
    waits: `“${label}” is kept and is sent ${when}.`,
    late: `“${label}” was not sent: the question is no longer open.`,
    refused: `“${label}” was not sent. ${given.is === "refused" ? given.why : ""}`.trim(),
  };
  const data: ShownData = { kind: "permission", sessionId, turnId };
  await show(title, { body: words[given.is], tag: notificationTag(sessionId), data, silent: true });
}

/**
 * Returns whether the browser will announce a connection. Chromium does so while a page of the app is open, even a
 * hidden one.
 */
async function wantSync(): Promise<boolean> {
  try {
    const { sync } = scope.registration;
    await sync?.register(syncTag);
    return sync !== undefined;
  } catch {
    return false;
  }
}

/** An open page moves to the address; if there is none, a window opens. `/asked` scrolls to the question. */
async function open(sessionId: string | undefined): Promise<void> {
  const url = sessionId === undefined ? "/#/" : `/#/s/${sessionId}/asked`;
  const pages = await openPages();
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  if (page === undefined) {
    await scope.clients.openWindow(url);
    return;
  }
  // The page gets a message, because the browser refuses to navigate a page that this worker does not control.
  page.postMessage({ open: url.slice(1) });
  await page.focus().catch(() => undefined);
}
