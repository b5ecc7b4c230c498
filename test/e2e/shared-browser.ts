// The browsers of all browser suites, because starting one takes longer than most tests. vitest runs this file once for
// the layer.
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { browserSettings, shellSettings } from "./phone.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which playwright connects to the browser; every connection has contexts of its own. */
    browserEndpoint: string;
    /** The same for a browser that shows notifications, which the headless shell does not. */
    wholeBrowserEndpoint: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [whole, shell] = [await browserSettings(), await shellSettings()];
  const wholeServer = await chromium.launchServer({ ...whole, host: "127.0.0.1" });
  const isSame = shell.executablePath === whole.executablePath;
  const server = isSame ? wholeServer : await chromium.launchServer({ ...shell, host: "127.0.0.1" });
  project.provide("browserEndpoint", server.wsEndpoint());
  project.provide("wholeBrowserEndpoint", wholeServer.wsEndpoint());
  return async () => {
    await server.close();
    if (!isSame) await wholeServer.close();
  };
}
