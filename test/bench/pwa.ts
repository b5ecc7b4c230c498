// The app on a slow phone: Chromium with its CPU throttled and a slow network. Numbers stand beside the budgets.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Browser, CDPSession, Page } from "playwright-core";
import { type FakeEdge, startFakeEdge } from "../e2e/fake-edge.ts";
import { storeLongSession } from "../e2e/long-session.ts";
import { composer, launchBrowser, newSession, openPhone, pair, say } from "../e2e/phone.ts";
import { streamFor } from "./pwa-stream.ts";

const cpuSlowdown = 4;
/** Like a 4G cell in the country: bytes a second and milliseconds. */
const network = { offline: false, downloadThroughput: 200_000, uploadThroughput: 90_000, latency: 150 };
const messages = 10_000;

export async function run(): Promise<void> {
  const browser = await launchBrowser();
  const edge = await startFakeEdge({ demo: false });
  try {
    initialBytes();
    await starts(browser, edge);
    await longSession(browser, edge);
    await streaming(browser, edge);
  } finally {
    await browser.close();
    await edge.close();
  }
}

/** The loader of these files names their inner functions by a helper of its own, which a page does not have. */
async function openBenchPhone(browser: Browser) {
  const phone = await openPhone(browser);
  await phone.context.addInitScript("globalThis.__name = (named) => named");
  return phone;
}

function line(what: string, measured: string, budget: string): void {
  console.log(`${what.padEnd(58)} ${measured.padStart(16)}   budget ${budget}`);
}

function initialBytes(): void {
  const html = readFileSync("dist/pwa/index.html", "utf8");
  const names = [...html.matchAll(/(?:src|href)="\/?([^"]+\.(js|css))"/g)];
  for (const [kind, budget] of [
    ["js", "40 KB"],
    ["css", "8 KB"],
  ] as const) {
    const files = names.filter(([, , ending]) => ending === kind).map(([, name = ""]) => name);
    const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(`dist/pwa/${name}`)).length, 0);
    line(`initial ${kind.toUpperCase()}, gzip`, `${(bytes / 1000).toFixed(1)} KB`, budget);
  }
}

async function throttled(page: Page, slowNetwork = false): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
  if (slowNetwork) {
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", network);
  }
  return cdp;
}

/** Milliseconds from the navigation until `selector` has been painted. */
async function paintedAfter(page: Page, selector: string): Promise<number> {
  const handle = await page.waitForFunction(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector(wanted) === null) requestAnimationFrame(look);
          else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        };
        look();
      }),
    selector,
  );
  return Math.round(await handle.jsonValue());
}

async function best(times: number, measure: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let index = 0; index < times; index += 1) all.push(await measure());
  return Math.min(...all);
}

async function starts(browser: Browser, edge: FakeEdge): Promise<void> {
  const cold = await best(3, async () => {
    const { page, context } = await openBenchPhone(browser);
    await throttled(page, true);
    await page.goto(edge.url);
    const ms = await paintedAfter(page, "h1, h2, form");
    await context.close();
    return ms;
  });
  line(`cold start, first screen (CPU ${cpuSlowdown}x, slow network)`, `${cold} ms`, "none");
  const { page, context } = await openBenchPhone(browser);
  await pair(page, edge);
  const id = await storeLongSession(page, 400);
  await page.goto(`${edge.url}/#/s/${id}`);
  await page.evaluate(() => navigator.serviceWorker?.ready.then(() => undefined));
  await page.reload();
  await context.setOffline(true);
  await throttled(page);
  const warm = await best(3, async () => {
    await page.reload();
    return paintedAfter(page, ".row.said");
  });
  line(`warm start to last transcript, offline (CPU ${cpuSlowdown}x)`, `${warm} ms`, "800 ms");
  await context.close();
}

async function longSession(browser: Browser, edge: FakeEdge): Promise<void> {
  const { page, context } = await openBenchPhone(browser);
  await pair(page, edge);
  await storeLongSession(page, messages);
  await page.reload();
  await page.getByText("A long day").waitFor();
  await throttled(page);
  const open = await best(3, async () => {
    const ms = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const begun = performance.now();
          location.hash = "#/s/longsession";
          const look = () => {
            if (document.querySelector(".row.said") === null) requestAnimationFrame(look);
            else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
          };
          look();
        }),
    );
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByText("A long day").waitFor();
    return Math.round(ms);
  });
  line(`opening ${messages} messages (CPU ${cpuSlowdown}x)`, `${open} ms`, "200 ms warm");
  await page.getByText("A long day").click();
  await page.locator(".row.said").first().waitFor();
  const box = await page.locator(".transcript").boundingBox();
  const cdp = await throttled(page);
  const counting = page.evaluate(
    () =>
      new Promise<{ frames: number; ms: number; mounted: number; worst: number }>((resolve) => {
        const begun = performance.now();
        let [frames, mounted, worst, last] = [0, 0, 0, begun];
        const frame = (now: number) => {
          frames += 1;
          worst = Math.max(worst, now - last);
          last = now;
          mounted = Math.max(mounted, document.querySelectorAll(".rows .row").length);
          if (now - begun < 4_000) requestAnimationFrame(frame);
          else resolve({ frames, ms: now - begun, mounted, worst });
        };
        requestAnimationFrame(frame);
      }),
  );
  await cdp.send("Input.synthesizeScrollGesture", {
    x: 195,
    y: (box?.y ?? 0) + 200,
    yDistance: 8_000,
    speed: 2_000,
    gestureSourceType: "touch",
  });
  const { frames, ms, mounted, worst } = await counting;
  line(
    `scrolling up, 2,000 px/s (CPU ${cpuSlowdown}x)`,
    `${((1000 * frames) / ms).toFixed(0)} frames/s`,
    "55 frames/s",
  );
  line("  longest frame", `${worst.toFixed(0)} ms`, "none");
  line("  rows mounted at most", `${mounted}`, "150");
  await context.close();
}

async function streaming(browser: Browser, edge: FakeEdge): Promise<void> {
  const { page, context } = await openBenchPhone(browser);
  await page.addInitScript(() => {
    const counts = { writes: 0, long: [] as number[] };
    Object.assign(window, { counts });
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...args) {
      counts.writes += 1;
      return put.apply(this, args);
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) counts.long.push(Math.round(entry.duration));
    }).observe({ entryTypes: ["longtask"] });
  });
  await pair(page, edge);
  await newSession(page);
  const cdp = await throttled(page);
  const stream = streamFor(edge);
  await say(page, "Tell me everything");
  await page.locator(".row.live").first().waitFor();
  await page.evaluate(() => Object.assign(Reflect.get(window, "counts"), { writes: 0, long: [] }));
  const seconds = 10;
  const typing = (async () => {
    await stream.tokens(100, seconds);
    stream.end();
  })();
  const delays: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    delays.push(
      await composer(page).evaluate(
        (input: HTMLTextAreaElement, text) =>
          new Promise<number>((resolve) => {
            const begun = performance.now();
            input.value = text;
            input.dispatchEvent(new InputEvent("input", { bubbles: true }));
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
          }),
        "x".repeat(index + 1),
      ),
    );
  }
  await typing;
  await page.getByText("The end.").waitFor();
  const counts = await page.evaluate(
    () => Reflect.get(window, "counts") as { writes: number; long: number[] },
  );
  const worst = Math.round(delays.sort((a, b) => a - b)[Math.floor(delays.length * 0.9)] ?? 0);
  line(`a key while 100 tokens/s stream in, to the frame (CPU ${cpuSlowdown}x)`, `${worst} ms`, "100 ms");
  line(
    "  tasks over 50 ms",
    `${counts.long.length}${counts.long.length > 0 ? ` (${Math.max(...counts.long)} ms)` : ""}`,
    "0",
  );
  line("  puts into IndexedDB a second", (counts.writes / seconds).toFixed(1), "never one per token");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const before = await heapMb(cdp);
  const hourStream = streamFor(edge);
  await say(page, "Work for an hour");
  await hourStream.rounds(60, 1_000);
  await page.getByText("The end.").nth(1).waitFor();
  await page.locator(".to-end").waitFor({ state: "detached" });
  line("heap before / after 60 rounds of 1,000 tokens", `${before} / ${await heapMb(cdp)} MB`, "none");
  await context.close();
}

async function heapMb(cdp: CDPSession): Promise<string> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return (usedSize / 1e6).toFixed(1);
}
