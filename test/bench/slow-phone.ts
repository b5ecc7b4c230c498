// A slow phone for measurements of the app: CPU and network are throttled, and its pages record data about
// themselves.
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { openPhone } from "../e2e/phone.ts";
import { endMark } from "./main-thread.ts";

export const cpuSlowdown = 4;
/**
 * Like Lighthouse's mobile network, with 1.6 Mbit/s and 150 ms. The units are bytes a second and
 * milliseconds.
 */
const slowNetwork = { offline: false, downloadThroughput: 200_000, uploadThroughput: 90_000, latency: 150 };

/** The records of a page since its first moment. Times are in milliseconds. */
export interface Noted {
  firstPaint: number;
  largestPaint: number;
  layoutShift: number;
  /** The durations of tasks over 50 ms. */
  longTasks: number[];
  /** The times from a key or tap to the next frame. Values under 16 ms are not counted. */
  interactions: number[];
  /** IndexedDB transactions that write; `puts`: the records that they write. */
  transactions: number;
  puts: number;
}

const notes = `(() => {
  const noted = { firstPaint: 0, largestPaint: 0, layoutShift: 0, longTasks: [], interactions: [], transactions: 0, puts: 0 };
  globalThis.benchNoted = noted;
  // tsx wraps inner functions in a helper, __name, that pages lack.
  globalThis.__name = (named) => named;
  const watch = (type, each, more = {}) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more });
  watch("paint", (entry) => { if (entry.name === "first-contentful-paint") noted.firstPaint = entry.startTime; });
  watch("largest-contentful-paint", (entry) => { noted.largestPaint = entry.startTime; });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) noted.layoutShift += entry.value; });
  watch("longtask", (entry) => { noted.longTasks.push(entry.duration); });
  watch("event", (entry) => { if (entry.interactionId > 0) noted.interactions.push(entry.duration); }, { durationThreshold: 16 });
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...args) { noted.puts += 1; return put.apply(this, args); };
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...args) {
    if (args[1] === "readwrite") noted.transactions += 1;
    return transaction.apply(this, args);
  };
})();`;

export interface BenchPhone {
  context: BrowserContext;
  page: Page;
  cdp: CDPSession;
}

export async function openBenchPhone(browser: Browser): Promise<BenchPhone> {
  const { page, context } = await openPhone(browser, { serviceWorker: true });
  // The limit is high, because slow steps must be measured and must not end the measurement.
  context.setDefaultTimeout(120_000);
  await context.addInitScript(notes);
  return { page, context, cdp: await context.newCDPSession(page) };
}

export async function setSlowdown(cdp: CDPSession, rate: number): Promise<void> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate });
}

export async function slowDownNetwork(cdp: CDPSession): Promise<void> {
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", slowNetwork);
}

export function noted(page: Page): Promise<Noted> {
  return page.evaluate(() => Reflect.get(globalThis, "benchNoted") as Noted);
}

/** Restarts the counters of tasks, interactions and writes. */
export function noteAnew(page: Page): Promise<void> {
  return page.evaluate(() => {
    const fresh = { longTasks: [], interactions: [], transactions: 0, puts: 0 };
    Object.assign(Reflect.get(globalThis, "benchNoted"), fresh);
  });
}

/**
 * Milliseconds from the navigation until `selector` is painted. With `hash`, the page first navigates there.
 * Sets the mark `endMark`.
 */
export function paintedAfter(page: Page, selector: string, hash?: string): Promise<number> {
  return page.evaluate(
    ([wanted, to, mark]) =>
      new Promise<number>((resolve) => {
        const begun = to === "" ? 0 : performance.now();
        if (to !== "") location.hash = to;
        const painted = () => {
          performance.mark(mark);
          resolve(performance.now() - begun);
        };
        const look = () => {
          if (document.querySelector(wanted) === null) requestAnimationFrame(look);
          else requestAnimationFrame(() => setTimeout(painted));
        };
        look();
      }),
    [selector, hash ?? "", endMark] as const,
  );
}
