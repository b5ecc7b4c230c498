// Measures the app during a stream: how fast it responds to touch, what it writes, and what it retains after
// an hour.
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import type { FakeEdge } from "../e2e/fake-edge.ts";
import { composer, newSession, pair, say as sayTo } from "../e2e/phone.ts";
import { repeated, say } from "./figures.ts";
import { mainThreadDuring } from "./main-thread.ts";
import { streamFor, type TokenStream } from "./pwa-stream.ts";
import { cpuSlowdown, noteAnew, noted, openBenchPhone, setSlowdown } from "./slow-phone.ts";

const tokensPerSecond = 100;
const seconds = 10;
/** An hour at that rate has 360,000 tokens, in turns and rounds as in a long day. */
const hour = { turns: 50, rounds: 12, tokens: 600 };

export async function measureStreaming(browser: Browser, edge: FakeEdge): Promise<void> {
  const { page, context, cdp } = await openBenchPhone(browser);
  await pair(page, edge);
  await newSession(page);
  await setSlowdown(cdp, cpuSlowdown);
  await noteAnew(page);
  const first = await askForStream(page, edge);
  const sending = Math.max(16, ...(await noted(page)).interactions);
  say({ what: "tap on Send, first message of a session", value: sending, unit: "ms", budget: 200 });
  await noteAnew(page);
  await typeWhileStreaming(page, first, "The first answer is over.");
  const { interactions, longTasks } = await noted(page);
  const slowest = Math.max(16, ...interactions);
  say({
    what: "key or tap to frame, 100 tokens/s streaming in",
    value: slowest,
    unit: "ms",
    budget: 100,
    more: `slowest of ${keys}`,
  });
  say({ what: "  tasks over 50 ms", value: longTasks.length, unit: "", budget: 0, more: longest(longTasks) });
  await setSlowdown(cdp, 1);
  const second = await askForStream(page, edge);
  const { cpuMs, tasks } = await mainThreadDuring(browser, page, () =>
    typeWhileStreaming(page, second, "The second answer is over."),
  );
  const slowed = tasks.map((ms) => ms * cpuSlowdown);
  const long = slowed.filter((ms) => ms > 50);
  say({
    what: "  main thread in a second, processor time",
    value: (cpuMs * cpuSlowdown) / seconds,
    unit: "ms",
    budget: 1000,
  });
  say({
    what: "  tasks over 50 ms, processor time",
    value: long.length,
    unit: "",
    budget: 0,
    more: longest(slowed),
  });
  await context.close();
}

const keys = 24;

function longest(tasks: readonly number[]): string {
  return tasks.length === 0 ? "" : `longest ${Math.max(...tasks).toFixed(0)} ms`;
}

/** Sends a message; its answer streams when the returned stream is told to. */
async function askForStream(page: Page, edge: FakeEdge): Promise<TokenStream> {
  const stream = streamFor(edge);
  await sayTo(page, "Tell me everything");
  await composer(page).focus();
  // The browser reports a tap only once its frame is shown. The tap must not be counted among the keys that
  // follow.
  await sleep(1_000);
  return stream;
}

/** One answer that lasts `seconds`, with a key pressed every 400 ms. */
async function typeWhileStreaming(page: Page, stream: TokenStream, ending: string): Promise<void> {
  const streaming = stream.tokens(tokensPerSecond, seconds).then(() => stream.end(ending));
  await repeated(keys, async () => {
    await page.keyboard.press("x");
    await sleep(400);
  });
  await streaming;
  await page.getByText(ending).first().waitFor();
  await composer(page).fill("");
}

/** Streams an hour's tokens, rounds and turns as fast as the app reads them. */
export async function measureHour(browser: Browser, edge: FakeEdge): Promise<void> {
  const { page, context, cdp } = await openBenchPhone(browser);
  await pair(page, edge);
  await newSession(page);
  await turnOfHour(page, edge, 0);
  const before = await held(cdp);
  await noteAnew(page);
  const begun = performance.now();
  for (let turn = 1; turn < hour.turns / 2; turn += 1) await turnOfHour(page, edge, turn);
  const half = await held(cdp);
  for (let turn = hour.turns / 2; turn < hour.turns; turn += 1) await turnOfHour(page, edge, turn);
  const after = await held(cdp);
  const { puts, transactions } = await noted(page);
  const tokens = (hour.turns - 1) * hour.rounds * hour.tokens;
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  const shape = `${hour.turns} turns of ${hour.rounds} rounds of ${hour.tokens} tokens, in ${minutes} min`;
  say({
    what: "heap after the first turn of an hour",
    value: before.heapMb,
    unit: "MB",
    digits: 1,
    more: shape,
  });
  say({ what: "  after half of it", value: half.heapMb, unit: "MB", digits: 1 });
  const ratio = after.heapMb / before.heapMb;
  const more = `${ratio.toFixed(2)} of the first turn's; elements ${before.nodes} → ${after.nodes}; listeners ${before.listeners} → ${after.listeners}`;
  say({ what: "  after all of it", value: after.heapMb, unit: "MB", digits: 1, more });
  const writes = (1000 * transactions) / tokens;
  say({
    what: "  writes into IndexedDB for 1,000 tokens",
    value: writes,
    unit: "",
    digits: 1,
    budget: 20,
    more: `${((1000 * puts) / tokens).toFixed(1)} records`,
  });
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-list, main").first().waitFor();
  const left = await held(cdp);
  say({
    what: "  back in the list",
    value: left.heapMb,
    unit: "MB",
    digits: 1,
    more: `elements ${left.nodes}`,
  });
  await context.close();
}

async function turnOfHour(page: Page, edge: FakeEdge, turn: number): Promise<void> {
  const stream = streamFor(edge);
  const ending = `Turn ${turn} is over.`;
  await sayTo(page, `Work on part ${turn}`);
  await stream.rounds(hour.rounds, hour.tokens, ending);
  await page.getByText(ending).waitFor();
  // The phone's outbox is empty then, so the next message is sent and not queued.
  await page.locator(".row.live").first().waitFor({ state: "detached" });
}

/** The memory that is still retained after a garbage collection. */
async function held(cdp: CDPSession): Promise<{ heapMb: number; nodes: number; listeners: number }> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
  return { heapMb: usedSize / 1e6, nodes, listeners: jsEventListeners };
}
