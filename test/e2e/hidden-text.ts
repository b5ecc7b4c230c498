// Texts with hidden characters, their visible form on the screen, and a check whether anything stays hidden.

import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { DurableDraft } from "../../shared/event.ts";
import type { TurnBody } from "../../shared/session/turn-request.ts";
import type { Played } from "./fake-edge.ts";
import { message, started } from "./scene-messages.ts";

export const blanks = " ".repeat(400);
/** One hidden character of each kind, around a searchable word. */
export const odd = (word: string) =>
  `${word} \u202e\u2066a\u2069\u200b\u00ad\u3164\u2800\u00a0\u2028\u{e0041}\u180e\u001b\ufe01x\u0335\u0335\u0335\u0335\u0335⟨U+202E⟩${blanks}end`;
export const shown = (word: string) =>
  `${word} ⟨U+202E⟩⟨U+2066⟩a⟨U+2069⟩⟨U+200B⟩⟨U+00AD⟩⟨U+3164⟩⟨U+2800⟩⟨U+00A0⟩⟨U+2028⟩⟨U+E0041⟩⟨U+180E⟩⟨U+001B⟩⟨U+FE01⟩x\u0335\u0335\u0335\u0335⟨U+0335⟩⟨U+27E8⟩U+202E⟩⟨400 spaces⟩end`;

/** Checks that no text and no accessible name of the page contains a hidden character. */
export async function nothingHides(page: Page): Promise<void> {
  const texts = await page.evaluate(() => {
    const all = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) all.push(walker.currentNode.textContent ?? "");
    for (const element of document.querySelectorAll("[aria-label], [title], [alt], [placeholder]"))
      for (const name of ["aria-label", "title", "alt", "placeholder"])
        all.push(element.getAttribute(name) ?? "");
    return all;
  });
  const hiding = /(?![ \n\t])[\p{C}\p{Z}\p{DI}\u2800]| {41}/u;
  expect(texts.filter((text) => hiding.test(text))).toEqual([]);
}

/** Saves pictures of the screen for a person to look at, if HANDRAIL_PICTURES names a folder. */
export async function pictures(page: Page, name: string): Promise<void> {
  const folder = process.env.HANDRAIL_PICTURES;
  if (folder === undefined) return;
  for (const [width, height] of [
    [390, 844],
    [320, 568],
  ] as const)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
  await page.setViewportSize({ width: 390, height: 844 });
}

export function played(...events: DurableDraft[]): (body: TurnBody) => Iterable<Played> {
  return (body) => [
    started(body),
    message("user", { content: body.input.type === "message" ? body.input.text : "", mode: body.mode }),
    ...events,
  ];
}
