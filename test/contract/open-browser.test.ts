// --open opens a page that pairs the browser of the person who started Handrail.
// @module-tag long
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findTools } from "../../scripts/test/find-tools.ts";
import { launchBrowser } from "../e2e/phone.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { until } from "../sandbox/running-server.ts";

let folder = "";
let product: Product | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handrail-open-"));
  mkdirSync(join(folder, "bin"));
});
afterEach(async () => {
  await product?.close();
  product = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Starts the product with a fake browser that records its arguments as `ps` shows them, and the owner, mode
 * and text of the file.
 */
async function startWith(script: string): Promise<Product> {
  for (const name of ["xdg-open", "open"])
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  product = await startProduct({ env: { PATH, HOME: folder, HANDRAIL_OPEN: "1" } });
  return product;
}

const notes = `echo "$@" > "$HOME/arguments"; ls -ln "$1" | cut -c1-10 > "$HOME/mode"; cp "$1" "$HOME/page.html"; : > "$HOME/done"`;
const noted = (name: string) => readFileSync(join(folder, name), "utf8").trim();

test("--open does not show the token to other users of the machine, and leaves no file with it", async () => {
  const { token } = await startWith(notes);
  await until(() => existsSync(join(folder, "done")));
  const page = noted("arguments");
  expect(page).not.toContain(token);
  expect(page).toMatch(/\/open-[0-9a-f]{16}\.html$/);
  expect(noted("mode")).toBe("-rw-------");
  expect([noted("page.html").includes(token), existsSync(page)]).toEqual([true, true]);
  await product?.kill("SIGTERM");
  expect(existsSync(page)).toBe(false);
});

test.runIf(findTools().chromium)("the page that --open opens pairs the browser", async () => {
  await startWith(notes);
  await until(() => existsSync(join(folder, "done")));
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    await tab.goto(pathToFileURL(join(folder, "page.html")).href);
    await tab.getByRole("button", { name: "New session", exact: true }).first().waitFor();
    expect(new URL(tab.url()).origin).toBe(product?.url);
  } finally {
    await browser.close();
  }
});

test("on a machine without a browser it says to open the address by hand, and goes on", async () => {
  const { logs, url } = await startWith("exit 3");
  await until(() => logs().includes("--open: "));
  expect(logs()).toMatch(/^--open: (xdg-)?open found no browser; open the pair URL by hand\.$/m);
  expect((await fetch(url)).status).toBe(200);
});
