// A whole day without a pointer, on the real product with its demo: Tab, Enter, Space, arrows and Escape
// reach everything.
// @module-tag long
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { composer, openPhone, pair } from "./phone.ts";

let browser: Browser;
let product: Product;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  product = await startProduct({ env: { HANDRAIL_DEMO_DELAY_MS: "1" } });
});
afterAll(async () => {
  await product?.close();
});

/** More Tab presses than the furthest control of any screen needs. */
const mostTabs = 60;

/** Moves the focus to `target` with `key` alone. The focused control must show its focus. */
async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < mostTabs; pressed += 1) {
    if (await hasFocus(target)) {
      expect(await showsFocus(page)).toBe(true);
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${mostTabs} times ${key} did not reach ${String(target)}`);
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

/**
 * Whether the focused element is marked: by an outline on it or on its visible substitute, or by a border in
 * the focus colour.
 */
function showsFocus(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const probe = document.createElement("i");
    probe.style.color = "var(--plan)";
    document.body.append(probe);
    const plan = getComputedStyle(probe).color;
    probe.remove();
    let element: Element | null = document.activeElement;
    for (let up = 0; element !== null && up < 3; up += 1, element = element.parentElement) {
      const { outlineStyle, outlineWidth, borderTopColor } = getComputedStyle(element);
      if (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2) return true;
      if (borderTopColor === plan) return true;
    }
    return false;
  });
}

async function pressOn(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

test("pair, plan, answer, comment, approve, read the changes, undo: with the keyboard alone", {
  timeout: 120_000,
}, async () => {
  const { page, context, errors } = await openPhone(browser, { keyboard: true });
  const button = (name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });
  const sheet = page.getByRole("dialog");
  const inSheet = (name: string | RegExp) =>
    sheet.getByRole("button", { name, exact: typeof name === "string" });
  await page.goto(product.url);
  await tabTo(page, page.getByLabel("Token or link"));
  await page.keyboard.insertText(product.token);
  await page.keyboard.press("Enter");
  await button("New session").and(page.locator(":enabled")).waitFor();
  await pressOn(page, button("New session"));
  await expect.poll(() => hasFocus(composer(page))).toBe(true);
  await page.keyboard.insertText("/plan Limit each token to 100 requests a minute. Keep the per-IP limit.");
  await page.keyboard.press("Enter");
  // The sheet that opens takes the focus, and arrows move among its options.
  const first = sheet.getByRole("radio").first();
  await tabTo(page, first);
  // A sheet ignores Space in its first moment, because the key may have been meant for the composer.
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => sheet.getByRole("radio", { name: /Fixed minute/ }).isChecked()).toBe(true);
  await page.keyboard.press("ArrowUp");
  await pressOn(page, inSheet("Answer"));
  await expect.poll(() => hasFocus(composer(page))).toBe(true);

  await pressOn(page, button("Whole plan"), "Space");
  await pressOn(page, inSheet("Comment on step 2"));
  const comment = sheet.getByRole("textbox", { name: "Comment on step 2" });
  await expect.poll(() => hasFocus(comment)).toBe(true);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await expect.poll(() => hasFocus(button("Whole plan"))).toBe(true);

  await pressOn(page, button("Other ways to approve"));
  await pressOn(page, inSheet(/^Run it Asks/));
  await page.getByRole("heading", { name: "Finished" }).waitFor({ timeout: 60_000 });
  await button("Stop").waitFor({ state: "detached" });

  const changes = page.getByRole("complementary", { name: "Changes" });
  await pressOn(page, button(/^Changes \d files/));
  await expect.poll(() => hasFocus(changes)).toBe(true);
  await tabTo(page, changes.getByRole("radio").first());
  await page.keyboard.press("ArrowRight");
  await changes.getByText(/since the step began/).waitFor();
  await pressOn(page, changes.getByRole("button", { name: /^Comment on src/ }).first());
  const line = changes.getByRole("textbox", { name: /^Comment on line/ });
  await expect.poll(() => hasFocus(line)).toBe(true);
  await page.keyboard.insertText("Say why");
  await pressOn(page, changes.getByRole("button", { name: "Remove", exact: true }));

  await pressOn(page, changes.getByRole("button", { name: "Undo to…" }));
  await pressOn(page, inSheet(/^Before step 3/));
  await sheet.getByText(/go(es)? back to what/).waitFor();
  await pressOn(page, inSheet("Undo to before step 3"));
  await page
    .getByText(/You went back to before step 3/)
    .first()
    .waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

test("a sheet keeps the focus inside, Escape closes it, and the focus returns to what opened it", async () => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, product);
  await page.getByRole("button", { name: "New session", exact: true }).click();
  await composer(page).and(page.locator(":enabled")).waitFor();
  const sheet = page.getByRole("dialog");
  for (const name of ["More about this session", "Progress, and places to go to"]) {
    const opener = page.getByRole("button", { name });
    await tabTo(page, opener);
    await page.keyboard.press("Enter");
    await sheet.waitFor();
    for (const key of ["Tab", "Shift+Tab"]) {
      for (let pressed = 0; pressed < 12; pressed += 1) {
        await page.keyboard.press(key);
        // Between the page's last and first control, the browser's own controls may have the focus. The
        // page's active element is the body then.
        const outside = await page.evaluate(() => {
          const at = document.activeElement;
          return at !== document.body && at?.closest("dialog") === null;
        });
        expect(outside).toBe(false);
      }
    }
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(() => hasFocus(opener)).toBe(true);
  }
  await context.close();
});

test("Shift+Tab in the composer changes the mode; after Escape it leaves the composer, and from below it returns", async () => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, product);
  await page.getByRole("button", { name: "New session", exact: true }).click();
  const input = composer(page).and(page.locator(":enabled"));
  await tabTo(page, input);
  const said = await input.evaluate(
    (element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
  );
  expect(said).toContain("after Escape it moves back");
  const pill = page.locator(".pill");
  await page.keyboard.press("Shift+Tab");
  await expect.poll(() => pill.textContent()).toContain("Plan mode on");
  await page.keyboard.press("Escape");
  await expect.poll(() => hasFocus(input)).toBe(true);
  await page.keyboard.press("Shift+Tab");
  await expect.poll(() => hasFocus(input)).toBe(false);
  await expect.poll(() => pill.textContent()).toContain("Plan mode on");
  // Tab is never trapped, and the pill opens the three modes with explanations.
  await tabTo(page, pill);
  await page.keyboard.press("Enter");
  await pressOn(page, page.getByRole("dialog", { name: "Mode" }).getByRole("button", { name: /^Auto/ }));
  await expect.poll(() => pill.textContent()).toContain("Auto mode on");
  await tabTo(page, input, "Shift+Tab");
  await context.close();
});

test("announcements are made once: no live region repeats while text streams or seconds pass", async () => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, product);
  await page.getByRole("button", { name: "New session", exact: true }).click();
  const input = composer(page).and(page.locator(":enabled"));
  await input.waitFor();
  // Records every change inside a live region, as a screen reader would read it.
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest("[role=status], [role=alert], [aria-live=polite]");
        const words = region?.textContent?.trim() ?? "";
        if (words !== "" && heard.at(-1) !== words) heard.push(words);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  await input.fill("Explain how this project is built");
  await input.press("Enter");
  await page.locator(".said").last().waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  const heard = await page.evaluate(() => Reflect.get(window, "heard") as string[]);
  expect(heard.length).toBeLessThan(8);
  for (const words of heard) expect(words).not.toMatch(/\d+ s$/);
  expect(await page.locator("[role=log]").getAttribute("aria-live")).toBe("off");
  await context.close();
});
