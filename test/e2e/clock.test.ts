// On a phone whose clock is wrong, the time for which something has run is still the server's.
// @module-tag long
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test } from "./fixture.ts";
import { newSession, pair, say } from "./phone.ts";

test.for([
  ["ten minutes ahead", 600_000],
  ["ten minutes behind", -600_000],
] as const)(
  "with a clock %s, a turn shows the time that it runs",
  async ([, aheadMs], { model, product, page }) => {
    await page.addInitScript((ahead) => {
      const { now } = Date;
      Date.now = () => now() + ahead;
    }, aheadMs);
    const answer = gate();
    model.play([{ text: "Looked.", hold: answer.passed }]);
    await pair(page, product);
    await newSession(page);
    await say(page, "Look");
    const clocks = page.locator(".page-head .clock, .now-card .time");
    // A turn that has run for a minute at this point means that the test hangs.
    await expect
      .poll(() => clocks.allTextContents())
      .toEqual([
        expect.stringMatching(/^0:[0-5][1-9]$/),
        expect.stringMatching(/^0:\d\d$/),
        expect.stringMatching(/^0:\d\d$/),
      ]);
    answer.open();
    await page.getByText("Looked.").waitFor();
  },
);
