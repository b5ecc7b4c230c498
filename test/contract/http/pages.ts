import { describe, expect, test } from "vitest";
import { askAsStranger } from "./request.ts";
import type { GetTarget } from "./target.ts";

export function describePages(target: GetTarget): void {
  describe("the page", () => {
    test("is served to anybody, is revalidated each time, and may load nothing from elsewhere", async () => {
      const { status, headers, text } = await askAsStranger(target(), "/");
      expect(status).toBe(200);
      expect(headers.get("content-type")).toContain("text/html");
      expect(headers.get("cache-control")).toContain("no-cache");
      expect(text).toContain("<html");
      expect(headers.get("content-security-policy")?.split("; ")).toEqual([
        "default-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        // Style attributes position the rows of a long transcript.
        "style-src 'self' 'unsafe-inline'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-dns-prefetch-control": "off",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "permissions-policy": "camera=(self), microphone=(self), geolocation=()",
      });
    });

    test("has no inline script and names no other origin", async () => {
      const { text } = await askAsStranger(target(), "/");
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    });

    test("its hashed assets are immutable", async () => {
      const { text } = await askAsStranger(target(), "/");
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1];
      const { status, headers } = await askAsStranger(target(), script ?? "/no-script-in-the-page");
      expect(status).toBe(200);
      expect(headers.get("content-type")).toContain("javascript");
      expect(headers.get("cache-control")).toContain("immutable");
    });

    test("a path inside the app is the page; a missing file is 404", async () => {
      const inside = await askAsStranger(target(), "/sessions/abc");
      expect(inside.status).toBe(200);
      expect(inside.headers.get("content-type")).toContain("text/html");
      expect((await askAsStranger(target(), "/assets/gone-12345678.js")).status).toBe(404);
    });

    test.each([
      ["GET", "/assets/gone-12345678.js"],
      ["POST", "/"],
      ["GET", "/%ff.js"],
    ])(
      "%s %s is refused with headers that keep the answer from being anything but data",
      async (method, path) => {
        const { status, headers } = await askAsStranger(target(), path, { method });
        expect(status).toBeGreaterThanOrEqual(400);
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
        expect(headers.get("cache-control")).toBe("no-store");
      },
    );

    test("nothing outside the page's folder is served", async () => {
      for (const path of ["/..%2f..%2fpackage.json", "/%2e%2e/node.mjs", "/..%5c..%5cpackage.json"]) {
        const { text } = await askAsStranger(target(), path);
        expect(text).not.toContain('"devDependencies"');
        expect(text).not.toContain("handrail-edge");
      }
    });
  });
}
