// axe on every screen, in both themes: names, roles, contrast, sizes of touch targets.
// @module-tag long
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import * as z from "zod/mini";
import { runs } from "../harness/runs.ts";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { openPhone } from "./phone.ts";
import { visitScreens } from "./screens.ts";
import { small } from "./touch-targets.ts";

let browser: Browser;
let edge: FakeEdge;
const Violations = z.array(
  z.object({
    id: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.optional(z.string()) })),
  }),
);

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
});
afterAll(async () => {
  await edge?.close();
});

/**
 * Returns the problems that axe finds, one line each. The page's own policy is not changed. `rules`: the
 * rules to check; if absent, all of them.
 */
async function problems(page: Page, rules?: string[]): Promise<string[]> {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const found = await page.evaluate(
    `window.axe ?? (() => { ${axe.source} })(); axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`,
  );
  return z
    .parse(Violations, found)
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
    );
}

test("no screen has an accessibility problem in either theme, nor a target too small for a thumb", {
  tags: "random",
  timeout: 240_000,
}, async () => {
  const { page, context, errors } = await openPhone(browser);
  let screens = 0;
  // Every run visits all screens. Examining all of them takes longer and is done only in the long run.
  const every = runs(1, 3);
  await visitScreens(page, edge, async (screen) => {
    screens += 1;
    if (screens % every !== 0) return;
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    expect.soft(await problems(page), screen).toEqual([]);
    expect.soft(await small(page), `${screen}, sizes`).toEqual([]);
    // Only the colours differ from the light theme; everything else has been checked there.
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    expect.soft(await problems(page, ["color-contrast"]), `${screen}, dark`).toEqual([]);
  });
  expect(screens).toBeGreaterThan(35);
  expect(errors).toEqual([]);
  await context.close();
});

test("on a screen of 1,280 px neither list, session nor changes has a problem", {
  tags: "long",
}, async () => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  let seen = 0;
  await visitScreens(page, edge, async (screen) => {
    if (!["empty session", "proposal", "changes, with a comment", "sessions"].includes(screen)) return;
    seen += 1;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect.soft(await problems(page), `${screen}, ${colorScheme}`).toEqual([]);
    }
  });
  expect(seen).toBe(4);
  await context.close();
});
