// A phone that gets pushes: a browser's subscription at the tests' push service, messages that Chromium's own
// service worker receives through the developer protocol, and taps on its notifications.
import type { BrowserContext, CDPSession, Page, Worker } from "playwright-core";
import type { PushSubscriptionInfo } from "../../shared/push.ts";

/** Gives a test phone a stand-in for Chromium's own push service, which cannot be reached from here. */
export async function givePush(context: BrowserContext, subscription: PushSubscriptionInfo): Promise<void> {
  await context.grantPermissions(["notifications", "background-sync"]);
  await context.addInitScript(standIn, subscription);
}

/**
 * Runs in each page before its scripts. It installs a push manager whose subscription outlives the page, as a
 * cookie does.
 */
function standIn(subscription: PushSubscriptionInfo): void {
  const made = () => ({
    ...subscription,
    expirationTime: null,
    toJSON: () => subscription,
    unsubscribe: async () => {
      // biome-ignore lint/suspicious/noDocumentCookie: the store for cookies is missing in some of the contexts.
      document.cookie = "subscribed=; max-age=0";
      return true;
    },
  });
  Object.assign(PushManager.prototype, {
    getSubscription: async () => (document.cookie.includes("subscribed=") ? made() : null),
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      // biome-ignore lint/suspicious/noDocumentCookie: as above.
      document.cookie = `subscribed=${applicationServerKey}`;
      return made();
    },
  });
}

/** The server's key with which the browser has subscribed; undefined without a subscription. */
export async function subscribedWith(context: BrowserContext): Promise<string | undefined> {
  return (await context.cookies()).find(({ name }) => name === "subscribed")?.value;
}

/** The service worker of the page's app, once it is active. */
export async function workerOf(page: Page): Promise<Worker> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const context = page.context();
  return context.serviceWorkers()[0] ?? context.waitForEvent("serviceworker");
}

/**
 * Delivers `text` to the app of `origin` as the browser does after decrypting it, and resolves once the
 * notification is shown. A call of getNotifications must not come earlier: while Chromium shows a
 * notification, such a call takes it for a dismissed one and deletes it (111 of 150 times with Chromium's own
 * service worker). `page`: any page of that browser.
 */
export async function deliver(page: Page, origin: string, text: string): Promise<void> {
  const worker = page.context().serviceWorkers()[0];
  if (worker === undefined) throw new Error("No service worker runs.");
  await worker.evaluate(noteShown);
  await withRegistration(page, origin, (developer, registrationId) =>
    developer.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: text }),
  );
  await worker.evaluate(() => Object(globalThis).nextShown);
}

/** Runs in the service worker: its next notification resolves `nextShown`. */
function noteShown(): void {
  const global = Object(globalThis);
  const { registration } = global;
  const show = Object.getPrototypeOf(registration).showNotification.bind(registration);
  global.nextShown = new Promise<void>((resolve, reject) => {
    registration.showNotification = (...shown: unknown[]) => {
      const showing: Promise<void> = show(...shown);
      showing.then(resolve, reject);
      return showing;
    };
  });
}

/** Announces a new connection, as the browser does to a worker that asked for a sync. */
export async function backOnline(page: Page, origin: string, tag: string): Promise<void> {
  await withRegistration(page, origin, (developer, registrationId) =>
    developer.send("ServiceWorker.dispatchSyncEvent", { origin, registrationId, tag, lastChance: false }),
  );
}

async function withRegistration(
  page: Page,
  origin: string,
  work: (developer: CDPSession, registrationId: string) => Promise<unknown>,
): Promise<void> {
  const developer = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    developer.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted);
      if (ours) resolve(ours.registrationId);
    });
  });
  await developer.send("ServiceWorker.enable");
  await work(developer, await registered);
  await developer.detach();
}

interface Shown {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}

declare global {
  interface Notification {
    readonly actions?: readonly { title: string }[];
  }
}

/** The notifications that the phone shows, as the operating system has them. */
export function shownBy(worker: Worker): Promise<Shown[]> {
  return worker.evaluate(async () => {
    const shown: Notification[] = await Object(globalThis).registration.getNotifications();
    return shown.map(({ title, body, tag, actions = [] }) => ({
      ...{ title, body, tag },
      actions: actions.map((action) => action.title),
    }));
  });
}

interface Tap {
  tag: string;
  /** The action's name; "" = the notification itself. */
  action: string;
  /** The number of simultaneous taps. */
  times: number;
}

/**
 * Taps a notification. Resolves when the worker is done, with the address of the window that it would open.
 * The event is synthetic, because neither the developer protocol nor headless Chromium can tap.
 */
export function tap(worker: Worker, tag: string, action = "", times = 1): Promise<string | undefined> {
  return worker.evaluate(tapped, { tag, action, times });
}

/** This function runs in the service worker. */
async function tapped({ tag, action, times }: Tap): Promise<string | undefined> {
  // Tests are checked with the types of pages, which lack a worker's scope.
  const global = Object(globalThis);
  let opened: string | undefined;
  // Only a real tap may open a window, so this stub records the address.
  global.clients.openWindow = async (url: string) => {
    opened = url;
    return null;
  };
  const [notification] = await global.registration.getNotifications({ tag });
  if (!notification) throw new Error(`There is no notification ${tag}.`);
  const work: Promise<unknown>[] = [];
  for (let time = 0; time < times; time += 1) {
    const event = new global.NotificationEvent("notificationclick", { notification, action });
    Object.defineProperty(event, "waitUntil", { value: (one: Promise<unknown>) => work.push(one) });
    global.dispatchEvent(event);
  }
  await Promise.all(work);
  return opened;
}
