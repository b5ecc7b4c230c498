// Measures the work of a page's main thread from Chromium's own trace, as CPU time, which other work on the
// machine does not change.
import type { Browser, Page } from "playwright-core";

export interface MainThread {
  /** CPU milliseconds of all its tasks on this machine. */
  cpuMs: number;
  /** The CPU milliseconds of each task. */
  tasks: number[];
}

const begin = "bench begin";
export const endMark = "bench end";

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
}

/**
 * Measures the main thread of `page` during `work`, or only until the mark `endMark` if `work` sets it. The
 * page must stay in its process.
 */
export async function mainThreadDuring(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<MainThread> {
  await browser.startTracing(page, { categories: ["-*", "toplevel", "blink.user_timing"] });
  await page.evaluate((name) => void performance.mark(name), begin);
  await work();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const from = traceEvents.find(({ name }) => name === begin);
  if (from === undefined) throw new Error("The trace does not hold its beginning.");
  const until = traceEvents.find(({ name, ts }) => name === endMark && ts > from.ts)?.ts ?? Infinity;
  const own = traceEvents.filter(
    ({ ph, pid, tid, ts, tdur }) =>
      ph === "X" && pid === from.pid && tid === from.tid && ts > from.ts && ts < until && tdur !== undefined,
  );
  const tasks = outermost(own).map(({ tdur = 0 }) => tdur / 1000);
  return { cpuMs: tasks.reduce((sum, ms) => sum + ms, 0), tasks };
}

function outermost(events: TraceEvent[]): TraceEvent[] {
  let end = -Infinity;
  return events
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts < end) return false;
      end = ts + dur;
      return true;
    });
}
