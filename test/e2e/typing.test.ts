// A person types while things arrive: no letter is lost or acts as a tap, and the new thing waits in the bar.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import type { FakeEdge, Played } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, openPhone, pair, say } from "./phone.ts";
import { answering, planning } from "./scenes.ts";
import { asking, writing } from "./scenes-that-wait.ts";
import { startUpdatingFront } from "./updating-front.ts";

const words = "in the readme, say 429 too; y n 1 2 a";

/** Types half of the words, lets something arrive, and continues to type without looking up. */
async function typeThrough(page: Page, arrives: () => Promise<void>): Promise<void> {
  const half = words.length / 2;
  // The next key closes the sheet that opened and goes to the composer, so the test counts opened sheets.
  await page.evaluate(() => {
    window.sheetsOpened = 0;
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
      if (
        added.some(
          (node) => node instanceof Element && (node.matches("dialog") || node.querySelector("dialog")),
        )
      )
        window.sheetsOpened = (window.sheetsOpened ?? 0) + 1;
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.keyboard.type(words.slice(0, half));
  await arrives();
  await page.keyboard.type(words.slice(half));
  await expect.poll(() => composer(page).inputValue()).toBe(words);
  expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await page.evaluate(() => window.sheetsOpened)).toBe(0);
}

/** A session with a running turn that plays `scene` to its end when `come` is called. */
async function running(page: Page, edge: FakeEdge, scene: Parameters<FakeEdge["play"]>[0]) {
  const held = gate();
  edge.play(function* (body): Iterable<Played> {
    const played = [...scene(body)];
    yield* played.slice(0, 2);
    yield held.passed;
    yield* played.slice(2);
  });
  await newSession(page);
  await say(page, "/plan Limit tokens");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  return held.open;
}

const arrivals = [
  { name: "a question", scene: planning, button: "Answer 2 questions" },
  { name: "a permission", scene: asking, button: "Allow once" },
  {
    name: "a proposal",
    scene: (body: Parameters<typeof answering>[0]) => answering(body),
    button: "Approve and run",
  },
] as const;

for (const { name, scene, button } of arrivals) {
  test(`${name} waits in the bar while somebody types, and Enter queues what was started before it`, async ({
    browser,
    edge,
  }) => {
    const { page, context, errors } = await openPhone(browser, { keyboard: true });
    await pair(page, edge);
    const come = await running(page, edge, scene);
    await typeThrough(page, async () => {
      come();
      await page.getByRole("button", { name: button }).waitFor();
    });
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(edge.posts).toHaveLength(1);
    if (name !== "a proposal") {
      await page.keyboard.press("Enter");
      await page.locator(".queue-words", { hasText: words }).waitFor();
      expect(edge.posts).toHaveLength(1);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
}

test("the end of a turn and a new version of the app change neither what is typed nor the focus", async ({
  browser,
  edge,
}) => {
  const front = await startUpdatingFront(edge.url);
  const { page, context, errors } = await openPhone(browser, { keyboard: true, serviceWorker: true });
  await pair(page, { url: front.url, token: edge.token });
  const end = await running(page, edge, (body) => writing(body, Promise.resolve()));
  await typeThrough(page, async () => {
    end();
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  });
  await composer(page).fill("");
  await typeThrough(page, async () => {
    front.update();
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      while (registration.waiting === null) await new Promise((resolve) => setTimeout(resolve, 20));
    });
  });
  expect(edge.posts).toHaveLength(1);
  expect(errors).toEqual([]);
  await context.close();
  front.close();
});

test("somebody who starts typing just when a question opens continues in the composer, and the question waits", async ({
  browser,
  edge,
}) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, edge);
  const come = await running(page, edge, planning);
  come();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("also the readme");
  await expect.poll(() => composer(page).inputValue()).toBe("also the readme");
  await page.getByRole("button", { name: "Answer 2 questions" }).click();
  await page.getByRole("dialog").waitFor();
  expect(edge.posts).toHaveLength(1);
  await context.close();
});

test("with a keyboard a question opens with the focus on its first option", async ({ browser, edge }) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, edge);
  const come = await running(page, edge, planning);
  come();
  const option = page.getByRole("radio", { name: /^Sliding window/ });
  await option.waitFor();
  await expect.poll(() => option.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.getByRole("radio", { name: /^Fixed minute/ }).isChecked()).toBe(true);
  await context.close();
});

test("choosing an option is not typing: on a desktop, the plan that follows opens at its goal", async ({
  browser,
  edge,
}) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await page.setViewportSize({ width: 1280, height: 520 });
  await pair(page, edge);
  edge.play((body) => (body.input.type === "answers" ? answering(body) : planning(body)));
  await newSession(page);
  await say(page, "/plan Limit tokens");
  const sheet = page.getByRole("dialog");
  for (const option of ["Sliding window", "429"]) {
    await sheet.getByText(option, { exact: true }).click();
    await sheet.getByRole("button", { name: "Next" }).click();
  }
  // The answer is tapped as fast as by a person who knows the answers: a moment after the last choice.
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  await expect.poll(() => composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  const belowEdge = () =>
    page.evaluate(() => {
      const top = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().top ?? 0;
      return top(".card.plan") - top(".transcript");
    });
  await expect.poll(belowEdge).toBeGreaterThanOrEqual(0);
  await context.close();
});

test("Stop, pressed with a keyboard, leaves the focus in the composer", async ({ browser, edge }) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, edge);
  edge.play((body) => writing(body, new Promise(() => {})));
  await newSession(page);
  await say(page, "Explain this project");
  await page.locator(".said.live").waitFor();
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  // For its first moment the button takes neither focus nor taps.
  await stop.click({ trial: true });
  await stop.press("Enter");
  await stop.waitFor({ state: "detached" });
  expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  await context.close();
});

declare global {
  interface Window {
    /** The number of sheets that opened since typing began. */
    sheetsOpened?: number;
    /** Ends the moment in which a newly opened sheet ignores taps. */
    endArrival?: () => void;
  }
}

test("a tap meant for what a question covers does not answer it", async ({ browser, edge }) => {
  const { page, context } = await openPhone(browser);
  await page.addInitScript((arrivalMs) => {
    const waiting: TimerHandler[] = [];
    const set = window.setTimeout;
    window.setTimeout = ((run: TimerHandler, ms?: number) =>
      ms === arrivalMs ? waiting.push(run) : set(run, ms)) as typeof window.setTimeout;
    window.endArrival = () => {
      for (const run of waiting.splice(0)) if (typeof run === "function") run();
    };
  }, 300);
  await pair(page, edge);
  const come = await running(page, edge, planning);
  come();
  const sheet = page.getByRole("dialog");
  const option = sheet.getByText("Fixed minute");
  await option.waitFor();
  const tap = async () => {
    const box = await option.boundingBox();
    if (box === null) throw new Error("The option is not on the screen.");
    await page.touchscreen.tap(box.x + 5, box.y + 5);
  };
  await tap();
  const chosen = () => sheet.getByRole("radio", { name: /^Fixed minute/, includeHidden: true }).isChecked();
  expect(await chosen()).toBe(false);
  await page.evaluate(() => window.endArrival?.());
  await expect.poll(() => sheet.evaluate((dialog) => dialog.querySelector("[inert]") === null)).toBe(true);
  await tap();
  await expect.poll(chosen).toBe(true);
  await context.close();
});
