// Measures the touch targets of a screen.
import type { Page } from "playwright-core";

/**
 * Buttons and fields that a thumb can miss: those less than 44 px high or wide, including the space around
 * them.
 */
export async function small(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = [
      ...document.querySelectorAll<HTMLElement>(
        "button, a, summary, textarea, input:not([type=radio], [type=checkbox]), label:has([type=radio], [type=checkbox])",
      ),
    ];
    return boxes
      .filter((element) => element.checkVisibility() && !element.matches(".visually-hidden"))
      .filter((element) => element.closest(".markdown :is(p, li), .looked-at, .reasoning") === null)
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        const around = getComputedStyle(element, "::before");
        const more = around.content === "none" ? 0 : -2 * Number.parseFloat(around.top || "0");
        const wider = around.content === "none" ? 0 : -2 * Number.parseFloat(around.left || "0");
        return width > 0 && (height + Math.max(0, more) < 43.5 || width + Math.max(0, wider) < 43.5);
      })
      .map(
        (element) => `${element.outerHTML.slice(0, 100)} ${JSON.stringify(element.getBoundingClientRect())}`,
      );
  });
}
