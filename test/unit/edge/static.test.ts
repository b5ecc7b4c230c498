import { expect, test } from "vitest";
import { serveAssets } from "../../../functions/static.ts";

const files: Readonly<Record<string, string>> = {
  "index.html": "<html>page</html>",
  "sw.js": "worker",
  "assets/a-12345678.js": "code",
  "icon.png": "png",
};
const asked: string[] = [];
const assets = serveAssets(async (path) => {
  asked.push(path);
  const text = files[path];
  return text === undefined ? undefined : new TextEncoder().encode(text);
});
const get = (path: string, headers: Record<string, string> = {}) =>
  assets(new Request(`http://app${path}`, { headers }));

test("the root and every path without an extension are the page", async () => {
  for (const path of ["/", "/sessions/1", "/settings/"]) {
    const response = await get(path);
    expect(await response?.text()).toBe("<html>page</html>");
    expect(response?.headers.get("cache-control")).toBe("no-cache");
  }
});

test("hashed assets are cached for ever, the service worker is revalidated each time", async () => {
  expect((await get("/assets/a-12345678.js"))?.headers.get("cache-control")).toContain("immutable");
  expect((await get("/sw.js"))?.headers.get("cache-control")).toBe("no-cache");
});

test("a missing file is not found, instead of the page", async () => {
  expect(await get("/assets/gone.js")).toBeUndefined();
});

test("a page that has not changed is not sent again", async () => {
  const etag = (await get("/"))?.headers.get("etag") ?? "";
  const again = await get("/", { "if-none-match": etag });
  expect(again?.status).toBe(304);
  expect(await again?.text()).toBe("");
});

test("no path that leaves the folder is read", async () => {
  asked.length = 0;
  for (const path of ["/..%2f..%2fetc%2fpasswd", "/a%2f..%2f..%2fb", "/..%5cb", "/a%00.js", "/%"]) {
    expect(await get(path)).toBeUndefined();
  }
  expect(asked).toEqual([]);
});
