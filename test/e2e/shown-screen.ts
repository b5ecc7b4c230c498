// Saves a test's screens as pictures, if HANDRAIL_SCREENS names a folder for them, and checks that no screen
// is too wide.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const sizes = [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
];

/**
 * Saves and checks the screen at both widths of phones, light and dark. Nothing may be wider than the screen.
 */
export async function shown(page: Page, name: string): Promise<void> {
  const folder = process.env.HANDRAIL_SCREENS;
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    for (const colorScheme of folder === undefined ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder ?? "", `${name}-${size.width}-${colorScheme}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before !== null) await page.setViewportSize(before);
}
