// One Chromium for all browser suites, because starting one takes longer than most tests. vitest runs this
// file once for the layer.
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { browserSettings } from "./phone.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which playwright connects to the browser; every connection has contexts of its own. */
    browserEndpoint: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ ...(await browserSettings()), host: "127.0.0.1" });
  project.provide("browserEndpoint", server.wsEndpoint());
  return () => server.close();
}
