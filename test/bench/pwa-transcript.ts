// A session of 10,000 messages: the time until it is readable, and its scrolling.
import type { Browser, CDPSession, Page } from "playwright-core";
import type { FakeEdge } from "../e2e/fake-edge.ts";
import { storeLongSession } from "../e2e/long-session.ts";
import { pair } from "../e2e/phone.ts";
import { repeated, say, sayMedian } from "./figures.ts";
import { mainThreadDuring } from "./main-thread.ts";
import { cpuSlowdown, openBenchPhone, paintedAfter, setSlowdown } from "./slow-phone.ts";

const messages = 10_000;
const flickPx = 8_000;
const pxPerSecond = 2_000;

export async function measureTranscript(browser: Browser, edge: FakeEdge): Promise<void> {
  const { page, context, cdp } = await openBenchPhone(browser);
  await pair(page, edge);
  const id = await storeLongSession(page, messages);
  await page.reload();
  await page.getByText("A long day").waitFor();
  const open = () => paintedAfter(page, ".row.said", `#/s/${id}`);
  const openAndLeave = async () => {
    const ms = await open();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByText("A long day").waitFor();
    return ms;
  };
  const cpu = await repeated(5, async () => {
    const { cpuMs } = await mainThreadDuring(browser, page, open);
    await page.getByRole("button", { name: "Back" }).click();
    return cpuMs * cpuSlowdown;
  });
  await setSlowdown(cdp, cpuSlowdown);
  const wall = await repeated(7, openAndLeave);
  sayMedian({ what: `opening ${messages} messages, warm`, unit: "ms", budget: 200 }, wall);
  sayMedian({ what: "  main thread until then, processor time", unit: "ms", budget: 200 }, cpu);
  await open();
  const flicks = await repeated(3, () => flick(page, cdp));
  const frames = flicks.map(({ framesPerSecond }) => framesPerSecond);
  const worst = flicks.map(({ longestMs }) => longestMs);
  sayMedian({ what: "scrolling up, 2,000 px/s", unit: "frames/s", budget: 55, atLeast: true }, frames);
  sayMedian({ what: "  longest frame", unit: "ms" }, worst);
  const mounted = Math.max(...flicks.map((each) => each.mounted));
  say({ what: "  rows mounted at most", value: mounted, unit: "", budget: 150 });
  await setSlowdown(cdp, 1);
  const { cpuMs, tasks } = await mainThreadDuring(browser, page, () => flick(page, cdp));
  const perSecond = (cpuMs * cpuSlowdown) / (flickPx / pxPerSecond);
  say({ what: "  main thread in a second, processor time", value: perSecond, unit: "ms", budget: 1000 });
  say({
    what: "  longest task, processor time",
    value: Math.max(...tasks) * cpuSlowdown,
    unit: "ms",
    budget: 200,
  });
  await context.close();
}

/** Scrolls up at an even pace and counts frames in the meantime. */
async function flick(page: Page, cdp: CDPSession) {
  const box = await page.locator(".transcript").boundingBox();
  const counting = page.evaluate(
    (lastsMs) =>
      new Promise<{ framesPerSecond: number; longestMs: number; mounted: number }>((resolve) => {
        const begun = performance.now();
        let [frames, mounted, longestMs, last] = [0, 0, 0, begun];
        const frame = (now: number) => {
          frames += 1;
          longestMs = Math.max(longestMs, now - last);
          last = now;
          mounted = Math.max(mounted, document.querySelectorAll(".rows .row").length);
          if (now - begun < lastsMs) requestAnimationFrame(frame);
          else resolve({ framesPerSecond: (1000 * frames) / (now - begun), longestMs, mounted });
        };
        requestAnimationFrame(frame);
      }),
    (1000 * flickPx) / pxPerSecond,
  );
  await cdp.send("Input.synthesizeScrollGesture", {
    x: 195,
    y: (box?.y ?? 0) + 200,
    yDistance: flickPx,
    speed: pxPerSecond,
    // A synthetic gesture ends at the edge of the screen.
    gestureSourceType: "mouse",
  });
  return counting;
}
