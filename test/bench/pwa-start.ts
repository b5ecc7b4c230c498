// Measures the app's start: the files that it loads first, the first visit over a slow network, and going
// back to a session offline.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import type { FakeEdge } from "../e2e/fake-edge.ts";
import { storeLongSession } from "../e2e/long-session.ts";
import { pair } from "../e2e/phone.ts";
import { median } from "./cpu-time.ts";
import { repeated, say, sayMedian } from "./figures.ts";
import { performanceScore } from "./lighthouse-score.ts";
import { mainThreadDuring } from "./main-thread.ts";
import {
  cpuSlowdown,
  noted,
  openBenchPhone,
  paintedAfter,
  setSlowdown,
  slowDownNetwork,
} from "./slow-phone.ts";

export async function measureStarts(browser: Browser, edge: FakeEdge): Promise<void> {
  initialBytes();
  await coldStart(browser, edge);
  await warmStart(browser, edge);
}

function initialBytes(): void {
  const html = readFileSync("dist/pwa/index.html", "utf8");
  const names = [...html.matchAll(/(?:src|href)="\/?([^"]+\.(js|css))"/g)];
  for (const [kind, budget] of [
    ["js", 40],
    ["css", 8],
  ] as const) {
    const files = names.filter(([, , ending]) => ending === kind).map(([, name = ""]) => name);
    const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(`dist/pwa/${name}`)).length, 0);
    const what = `initial ${kind.toUpperCase()}, gzip`;
    say({ what, value: bytes / 1000, unit: "KB", digits: 1, budget, more: `${files.length} files` });
  }
}

async function coldStart(browser: Browser, edge: FakeEdge): Promise<void> {
  const visits = await repeated(5, async () => {
    const { page, context, cdp } = await openBenchPhone(browser);
    await setSlowdown(cdp, cpuSlowdown);
    await slowDownNetwork(cdp);
    await page.goto(edge.url);
    await paintedAfter(page, "form");
    // This also waits for files that load after the first screen, since they may block the main thread.
    await page.waitForLoadState("networkidle");
    const seen = await noted(page);
    await context.close();
    return seen;
  });
  const blocked = visits.map(({ longTasks }) => longTasks.reduce((sum, ms) => sum + Math.max(0, ms - 50), 0));
  const first = visits.map(({ firstPaint }) => firstPaint);
  const largest = visits.map(({ largestPaint }) => largestPaint);
  const shifts = visits.map(({ layoutShift }) => layoutShift);
  const longest = visits.map(({ longTasks }) => Math.max(0, ...longTasks));
  sayMedian({ what: "cold start, slow network: first paint", unit: "ms", budget: 1800 }, first);
  sayMedian({ what: "  largest paint", unit: "ms", budget: 2500 }, largest);
  sayMedian({ what: "  time blocked", unit: "ms", budget: 200 }, blocked);
  sayMedian({ what: "  longest task", unit: "ms", budget: 200 }, longest);
  sayMedian({ what: "  layout shift", unit: "", digits: 3, budget: 0 }, shifts);
  const score = performanceScore({
    firstPaint: median(first),
    largestPaint: median(largest),
    blocked: median(blocked),
    layoutShift: median(shifts),
  });
  say({ what: "  performance, by Lighthouse's weights", value: score, unit: "", budget: 95, atLeast: true });
}

/** Returns to a session of 400 messages offline, and measures from the navigation to its last words. */
async function warmStart(browser: Browser, edge: FakeEdge): Promise<void> {
  const { page, context, cdp } = await openBenchPhone(browser);
  await pair(page, edge);
  const id = await storeLongSession(page, 400);
  await page.goto(`${edge.url}/#/s/${id}`);
  await page.evaluate(() => navigator.serviceWorker?.ready.then(() => undefined));
  await page.reload();
  await context.setOffline(true);
  const start = async () => {
    await page.reload({ waitUntil: "commit" });
    return paintedAfter(page, ".row.said");
  };
  await start();
  await start();
  const cpu = await repeated(
    5,
    async () => (await mainThreadDuring(browser, page, start)).cpuMs * cpuSlowdown,
  );
  await setSlowdown(cdp, cpuSlowdown);
  const starts = await repeated(9, async () => ({ ms: await start(), seen: await noted(page) }));
  const wall = starts.map(({ ms }) => ms);
  sayMedian({ what: "warm start to the last transcript, offline", unit: "ms", budget: 800 }, wall);
  sayMedian({ what: "  main thread until then, processor time", unit: "ms", budget: 800 }, cpu);
  const shifts = starts.map(({ seen }) => seen.layoutShift);
  sayMedian({ what: "  layout shift", unit: "", digits: 3, budget: 0 }, shifts);
  const longest = starts.map(({ seen }) => Math.max(0, ...seen.longTasks));
  sayMedian({ what: "  longest task", unit: "ms", budget: 200 }, longest);
  await context.close();
}
