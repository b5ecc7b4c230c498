// The app on a slow phone: Chromium with CPU and network throttled. Figures are printed with their budgets. Wall-clock
// times grow with whatever else the machine does, so CPU times of the page's main thread, measured at full speed and
// multiplied, are printed too: these show the app's share.
import { loadavg } from "node:os";
import { startFakeEdge } from "../e2e/fake-edge.ts";
import { launchBrowser } from "../e2e/phone.ts";
import { measureStarts } from "./pwa-start.ts";
import { measureHour, measureStreaming } from "./pwa-streaming.ts";
import { measureTranscript } from "./pwa-transcript.ts";
import { cpuSlowdown } from "./slow-phone.ts";

export async function run(): Promise<void> {
  const browser = await launchBrowser();
  const edge = await startFakeEdge({ demo: false });
  console.log(`processor ${cpuSlowdown} times slower; load of the machine ${loadavg()[0]?.toFixed(1)}`);
  try {
    await measureStarts(browser, edge);
    await measureTranscript(browser, edge);
    await measureStreaming(browser, edge);
    await measureHour(browser, edge);
  } finally {
    await browser.close();
    await edge.close();
  }
}
