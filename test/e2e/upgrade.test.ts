// Data of earlier versions on the phone and on the server, opened by this version.
// @module-tag long
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { composer, openPhone } from "./phone.ts";

const fixtureOf = (version: string) => fileURLToPath(new URL(`../fixtures/from-${version}`, import.meta.url));
/** The original path of the state folder: its sandboxes name their workspaces by path. */
const laidAt = "/tmp/handrail-upgrade/state";

let browser: Browser;

/** Unpacks the state folder into `to` and adapts its paths: parallel runs cannot share one path. */
function unpackState(version: string, to: string): void {
  execFileSync("tar", ["-xzf", `${fixtureOf(version)}/state.tar.gz`, "-C", to]);
  const moved = (path: string) => writeFileSync(path, readFileSync(path, "utf8").replaceAll(laidAt, to));
  for (const id of readdirSync(`${to}/sandboxes`)) {
    moved(`${to}/sandboxes/${id}/sandbox.json`);
    const [before, now] = [laidAt, to].map((root) => keyOf(`${root}/sandboxes/${id}/workspace`));
    renameSync(`${to}/folders/${before}`, `${to}/folders/${now}`);
    for (const name of ["folder.json", "snapshots.git/config"]) moved(`${to}/folders/${now}/${name}`);
  }
}

/** The name under which those versions stored the data of a workspace. */
const keyOf = (root: string) => createHash("sha256").update(root).digest("hex").slice(0, 32);

test.beforeAll(({ browser: shared }) => {
  browser = shared;
});

/** Starts this version on the state folder that `version` left. */
async function startOn(version: string): Promise<Product> {
  const state = realpathSync(mkdtempSync(join(tmpdir(), "handrail-upgrade-")));
  unpackState(version, state);
  const product = await startProduct({ env: { HANDRAIL_STATE: state } });
  onTestFinished(async () => {
    await product.close();
    rmSync(state, { recursive: true, force: true });
  });
  return product;
}

test.for(["0.1.0", "0.2.0"])(
  "after an update from %s everything is still there, and what was open continues",
  async (version) => {
    const product = await startOn(version);
    const { page, errors, context } = await openPhone(browser, { serviceWorker: true });
    const stored: Record<string, unknown> = JSON.parse(
      gunzipSync(readFileSync(`${fixtureOf(version)}/phone.json.gz`)).toString(),
    );
    // This page has the same origin but is not the app, so the database is not open elsewhere.
    await page.goto(`${product.url}/icon.svg`);
    await page.evaluate(putIntoDatabase, stored);
    await page.goto(product.url);

    const lines = page.locator(".session-line");
    await lines.nth(1).waitFor();
    await expect.poll(() => lines.count()).toBe(2);
    await lines.filter({ hasText: "Done" }).click();
    await page.getByRole("heading", { name: "Finished" }).waitFor();
    await expect.poll(() => page.locator(".station.done").count()).toBe(4);

    await page.goto(`${product.url}/#/`);
    await lines.filter({ hasText: /waiting/i }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("Half a thought");
    await page.getByRole("button", { name: "Approve and run" }).click();
    await page.getByRole("heading", { name: "Finished" }).waitFor();
    await expect.poll(() => page.locator(".station.done").count()).toBe(4);
    expect(errors).toEqual([]);
    await context.close();
  },
);

test("data that a newer version left on the phone is named and not touched", async () => {
  const product = await startProduct();
  onTestFinished(() => product.close());
  const { page, context } = await openPhone(browser, { serviceWorker: true });
  await page.goto(`${product.url}/icon.svg`);
  const newer = { format: 2, settings: { token: "of another form" }, "session/x": { form: "unknown" } };
  await page.evaluate(putIntoDatabase, newer);
  await page.goto(`${product.url}/#pair=${product.token}`);
  await page.getByText("was written by a newer Handrail, and is left as it is").waitFor();
  expect(await page.evaluate(readDatabase)).toEqual(newer);
  await context.close();
});

async function readDatabase(): Promise<Record<string, unknown>> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open("handrail");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const store = database.transaction("kv").objectStore("kv");
  const all = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve) => {
      request.onsuccess = () => resolve(request.result);
    });
  const [keys, values] = await Promise.all([all(store.getAllKeys()), all<unknown[]>(store.getAll())]);
  database.close();
  return Object.fromEntries(keys.map((key, index) => [String(key), values[index]]));
}

/** Runs in the page, before the app has made its database. */
async function putIntoDatabase(entries: Record<string, unknown>): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open("handrail");
    request.onupgradeneeded = () => request.result.createObjectStore("kv");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const transaction = database.transaction("kv", "readwrite");
  for (const [key, value] of Object.entries(entries)) transaction.objectStore("kv").put(value, key);
  await new Promise((resolve) => {
    transaction.oncomplete = resolve;
  });
  database.close();
}
