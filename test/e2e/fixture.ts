// The fixtures of browser suites: they import `test` from "./fixture.ts" instead of vitest's own. Only the
// fixtures that a test names are made.
import { chromium } from "playwright-core";
import { expect, inject, test as plain } from "vitest";
import { startModelServer } from "../fakes/model-server.ts";
import { startProduct } from "../harness/product.ts";
import { startFakeEdge } from "./fake-edge.ts";
import { newSession, openPhone, pair } from "./phone.ts";

const noVariables: Readonly<Record<string, string>> = {};

export const test = plain
  /** For suites of notifications, which the headless shell lacks: `test.override({ wholeBrowser: true })`. */
  .extend("wholeBrowser", { scope: "file" }, false)
  /** The browser that all suites share; its scope is the file. */
  .extend("browser", { scope: "file" }, async ({ wholeBrowser }, { onCleanup }) => {
    const browser = await chromium.connect(inject(wholeBrowser ? "wholeBrowserEndpoint" : "browserEndpoint"));
    onCleanup(() => browser.close());
    return browser;
  })
  /**
   * Lets the phone log errors. Suites that cut its network set it: `test.override({ mayLogErrors: true })`.
   */
  .extend("mayLogErrors", false)
  /** Lets `phone` install the app's service worker: `test.override({ serviceWorker: true })`. */
  .extend("serviceWorker", false)
  /** An edge that plays prepared events. */
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no other fixture is needed.
  .extend("edge", async ({}, { onCleanup }) => {
    const edge = await startFakeEdge();
    onCleanup(() => edge.close());
    return edge;
  })
  /**
   * Additional variables for `product`, besides those of its model: `test.override({ serverEnv: … })`. Its
   * scope is the file.
   */
  .extend("serverEnv", { scope: "file" }, noVariables)
  /** A model that follows a script; its scope is the file. */
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no other fixture is needed.
  .extend("model", { scope: "file" }, async ({}, { onCleanup }) => {
    const model = await startModelServer([{ text: "Nothing." }]);
    onCleanup(() => model.close());
    return model;
  })
  /** The real edge and the real sandbox, with `model` as their model; its scope is the file. */
  .extend("product", { scope: "file" }, async ({ model, serverEnv }, { onCleanup }) => {
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" };
    const product = await startProduct({ env: { ...env, ...serverEnv } });
    onCleanup(() => product.close());
    return product;
  })
  /** A phone with a fresh profile that is not paired yet. The test fails if its page logs an error. */
  .extend("phone", async ({ browser, mayLogErrors, serviceWorker }, { onCleanup }) => {
    const phone = await openPhone(browser, { serviceWorker });
    onCleanup(async () => {
      // A request that the test itself answers may still be pending.
      await phone.page.unrouteAll({ behavior: "ignoreErrors" });
      await phone.context.close();
      if (!mayLogErrors) expect(phone.errors).toEqual([]);
    });
    return phone;
  })
  .extend("page", ({ phone }) => phone.page)
  /** The page of a phone that is paired with `product`, in a new session. */
  .extend("session", async ({ page, product }) => {
    await pair(page, product);
    await newSession(page);
    return page;
  });
