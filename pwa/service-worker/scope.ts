// The part of a service worker's global scope that is used here. TypeScript's own library for it cannot be loaded
// beside the page's, whose modules run here too.
// https://w3c.github.io/ServiceWorker/#serviceworkerglobalscope-interface

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
export interface PushEvent extends ExtendableEvent {
  readonly data: { text(): string } | null;
}
export interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification;
  /** "" means that the notification itself was tapped. */
  readonly action: string;
}
export interface SyncEvent extends ExtendableEvent {
  readonly tag: string;
}
export interface WindowClient {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<WindowClient>;
  navigate(url: string): Promise<WindowClient | null>;
  postMessage(message: unknown): void;
}
interface WorkerEvents {
  install: ExtendableEvent;
  push: PushEvent;
  notificationclick: NotificationEvent;
  pushsubscriptionchange: ExtendableEvent;
  sync: SyncEvent;
}
/**
 * TypeScript's library lacks these options, which browsers have:
 * https://notifications.spec.whatwg.org/#dictdef-notificationoptions
 */
export interface ShownOptions extends NotificationOptions {
  renotify?: boolean;
  actions?: { action: string; title: string }[];
}
interface Registration extends Omit<ServiceWorkerRegistration, "showNotification"> {
  showNotification(title: string, options?: ShownOptions): Promise<void>;
  /** Background Sync; only Chromium has it. https://wicg.github.io/background-sync/spec/ */
  readonly sync?: { register(tag: string): Promise<void> };
}
interface WorkerScope {
  importScripts(url: string): void;
  readonly registration: Registration;
  readonly navigator: Pick<Navigator, "onLine" | "locks"> &
    Partial<Pick<Navigator, "setAppBadge" | "clearAppBadge">>;
  readonly clients: {
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<WindowClient | null>;
  };
  addEventListener<K extends keyof WorkerEvents>(type: K, listener: (event: WorkerEvents[K]) => void): void;
}

declare const self: WorkerScope;
export const scope: WorkerScope = self;

/**
 * Pages of the app, including those that another version of this worker serves, but no other documents of the origin.
 */
export async function openPages(): Promise<readonly WindowClient[]> {
  const windows = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  return windows.filter(({ url }) => new URL(url).pathname === "/");
}
