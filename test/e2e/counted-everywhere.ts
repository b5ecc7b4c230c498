// The number of a session's changes, as each screen shows it.
import type { Page } from "playwright-core";

export const more = (page: Page) => page.getByRole("button", { name: "More about this session" }).click();

/** Opens Changes from the session's menu. */
export async function openChanges(page: Page): Promise<void> {
  await more(page);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Changes/ })
    .click();
  await page.locator(".page-head", { hasText: "since" }).waitFor();
}

/**
 * Checks that Changes, the menu, the transcript and the list all show `number`, each with its own separators
 * between the figures.
 */
export async function countedEverywhere(page: Page, number: string): Promise<void> {
  await openChanges(page);
  const words = new RegExp(number.replaceAll(",", "[,· ]*").replaceAll("+", "\\+"));
  await page.locator(".page-head").filter({ hasText: words }).waitFor();
  await page.goBack();
  await page.locator(".stop-line").filter({ hasText: words }).waitFor();
  await more(page);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Changes/ })
    .filter({ hasText: words })
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Back" }).click();
  const line = page.locator(".session-line").first();
  await line.filter({ hasText: words }).waitFor();
  await line.click();
  await page.locator(".composer").waitFor();
}
