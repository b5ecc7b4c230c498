// Measures the app on a slow phone: Chromium with CPU and network throttled. Each figure is printed with its
// budget. Wall-clock times grow with all other load on the machine, so the main thread's CPU times, measured
// at full speed and multiplied, are printed too. These show the app's own share.
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
