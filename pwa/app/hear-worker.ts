// Handles the service worker's messages to this page. Closes the notifications of the session that is being read, sends
// stored answers, and keeps the push subscription alive.
import { effect } from "@preact/signals";
import * as z from "zod/mini";
import { route } from "../browser/route.ts";
import { giveAnswer } from "../session/give-answer.ts";
import { askedToSee, endedPush } from "../session/worker-signals.ts";
import { listAnswers, settleAnswer } from "../storage/kept-answer.ts";
import { config, kv, paired } from "./app-state.ts";
import { loadNotifications, renew, renewEnded, testArrived } from "./notifications.ts";
import { openSession } from "./open-sessions.ts";

const WorkerSaid = z.union([
  z.object({ open: z.string() }),
  z.object({ give: z.string() }),
  z.object({ arrived: z.number() }),
  z.object({ shown: z.literal(true) }),
]);

/** A phone without a connection keeps an answer as long as needed. This limit only ends one attempt. */
const giveWithinMs = 60_000;

export function beginNotifications(): void {
  void loadNotifications();
  showAsked();
  window.addEventListener("hashchange", showAsked);
  effect(() => {
    if (paired.value && config.value?.push) void renew();
  });
  effect(() => {
    if (endedPush.value !== null) void renewEnded(endedPush.value);
  });
  effect(() => {
    if (paired.value) void giveKept();
  });
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }) => hear(data));
  effect(() => void clearRead("id" in route.value ? route.value.id : undefined));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    clearReadNow();
    if (!paired.value) return;
    void renew();
    void giveKept();
  });
  window.addEventListener("online", () => void giveKept());
}

function hear(data: unknown): void {
  const parsed = z.safeParse(WorkerSaid, data);
  if (!parsed.success) return;
  const said = parsed.data;
  if ("open" in said) location.hash = said.open;
  else if ("arrived" in said) testArrived(said.arrived);
  else if ("shown" in said) clearReadNow();
  else if (paired.value) {
    const answers = new BroadcastChannel("handrail-answers");
    answers.postMessage(`gives ${said.give}`);
    answers.close();
    void giveKept();
  }
}

/** If the address is a notification's, opens its session, scrolled to the question. */
function showAsked(): void {
  const id = /^#\/s\/([^/]+)\/asked$/.exec(location.hash)?.[1];
  if (id === undefined) return;
  history.replaceState(history.state, "", `#/s/${id}`);
  askedToSee.value = id;
}

function clearReadNow(): void {
  const at = route.value;
  void clearRead("id" in at ? at.id : undefined);
}

/** Closes the notification of a session that is on the screen. Never rejects. */
async function clearRead(sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined || document.visibilityState !== "visible") return;
  try {
    const worker = await navigator.serviceWorker.getRegistration();
    for (const shown of (await worker?.getNotifications({ tag: `session/${sessionId}` })) ?? [])
      shown.close();
  } catch {
    // The browser refuses both while the page or the worker is closing.
  }
}

let giving: Promise<void> | undefined;

/**
 * Sends answers that were tapped on notifications but could not be sent from there, as if they had been tapped here.
 */
function giveKept(): Promise<void> {
  giving ??= giveAll()
    .catch(() => undefined)
    .finally(() => {
      giving = undefined;
    });
  return giving;
}

async function giveAll(): Promise<void> {
  for (const answer of await listAnswers(kv)) {
    const held = await openSession(answer.sessionId);
    const given =
      held === undefined
        ? { is: "late" }
        : await giveAnswer(held.session, answer, AbortSignal.timeout(giveWithinMs));
    if (given.is !== "waits") await settleAnswer(kv, answer);
  }
}
