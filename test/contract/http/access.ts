import { get } from "node:http";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ask, askAsStranger, post } from "./request.ts";
import { type GetTarget, listedOrigin } from "./target.ts";

const guarded: [method: string, path: string][] = [
  ["GET", "/api/config"],
  ["GET", "/api/openapi.json"],
  ["GET", "/api/metrics"],
  ["POST", "/api/push/test"],
  ["POST", "/api/draft"],
  ["POST", "/api/second-opinion"],
  ["POST", "/api/turn"],
  ["GET", "/api/turns/s1/t1/events"],
  ["POST", "/api/turns/s1/t1/stop"],
  ["POST", "/api/turns/s1/t1/steer"],
  ["POST", "/api/turns/s1/t1/notify"],
  ["POST", "/api/turns/s1/t1/resume"],
  ["GET", "/api/sandboxes"],
  ["POST", "/api/sandboxes"],
  ["GET", "/api/sandboxes/s1"],
  ["DELETE", "/api/sandboxes/s1"],
  ["GET", "/api/sandboxes/s1/history"],
  ["POST", "/api/sandboxes/s1/notes"],
  ["POST", "/api/sandboxes/s1/hosts"],
  ["DELETE", "/api/sandboxes/s1/hosts"],
  ["POST", "/api/sandboxes/s1/network"],
  ["DELETE", "/api/sandboxes/s1/network"],
  ["DELETE", "/api/sandboxes/s1/grants"],
  ["DELETE", "/api/sandboxes/s1/grants/t1"],
  ["POST", "/api/sandboxes/s1/background/c1"],
  ["DELETE", "/api/sandboxes/s1/background/c1"],
  ["GET", "/api/sandboxes/s1/taken-out"],
  ["POST", "/api/sandboxes/s1/taken-out/e1"],
  ["GET", "/api/sandboxes/s1/worktree"],
  ["POST", "/api/sandboxes/s1/worktree"],
  ["POST", "/api/sandboxes/s1/bring-back"],
  ["GET", "/api/sandboxes/s1/bundle"],
  ["GET", "/api/sandboxes/s1/git"],
  ["POST", "/api/sandboxes/s1/commit"],
  ["GET", "/api/sandboxes/s1/push"],
  ["POST", "/api/sandboxes/s1/push"],
  ["GET", "/api/sandboxes/s1/commands"],
  ["GET", "/api/sandboxes/s1/hooks"],
  ["POST", "/api/sandboxes/s1/plan-file"],
  ["POST", "/api/sandboxes/s1/pull-request"],
  ["GET", "/api/sandboxes/s1/pull-request"],
  ["POST", "/api/sandboxes/s1/pull-request/merge"],
  ["POST", "/api/sandboxes/s1/pull-request/delete-branch"],
  ["POST", "/api/sandboxes/s1/pull-request/resolve"],
  ["POST", "/api/sandboxes/s1/pull-request/answer"],
  ["POST", "/api/sandboxes/s1/pull-request/change"],
  ["GET", "/api/sandboxes/s1/pull-request/log"],
  ["GET", "/api/mcp"],
  ["POST", "/api/mcp/tools"],
  ["GET", "/api/forges"],
  ["GET", "/api/forges/f1/user"],
  ["GET", "/api/forges/f1/repositories"],
  ["GET", "/api/forges/f1/branches"],
  ["GET", "/api/forges/f1/issues"],
  ["GET", "/api/forges/f1/issue"],
  ["POST", "/api/forges/f1/device"],
  ["POST", "/api/forges/f1/device-token"],
  ["GET", "/api/sandboxes/s1/tree"],
  ["GET", "/api/sandboxes/s1/file"],
  ["GET", "/api/sandboxes/s1/diff"],
  ["GET", "/api/sandboxes/s1/changes"],
  ["GET", "/api/sandboxes/s1/archive"],
  ["POST", "/api/sandboxes/s1/wake"],
  ["POST", "/api/sandboxes/s1/snapshot"],
  ["POST", "/api/sandboxes/s1/restore"],
  ["GET", "/api/nothing"],
];

const Description = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ security: z.optional(z.array(z.unknown())) }))),
});

/** Matches the method and path of a described route. A parameter such as `{id}` matches any name. */
const pattern = (route: string) => new RegExp(`^${route.replace(/\{\w+\}/g, "[^/]+")}$`);

export function describeAccess(target: GetTarget): void {
  describe("access", () => {
    test.each(guarded)("%s %s without a token is refused", async (method, path) => {
      const { status, json } = await askAsStranger(target(), path, { method });
      expect(status).toBe(401);
      expect(json).toMatchObject({
        error: { code: "unauthorized", message: expect.stringContaining("missing") },
      });
    });

    test.each(guarded)("%s %s with a wrong token is refused", async (method, path) => {
      const { token } = target();
      const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
      const { status, json } = await ask(target(), path, {
        method,
        headers: { authorization: `Bearer ${wrong}` },
      });
      expect(status).toBe(401);
      expect(json).toMatchObject({
        error: { code: "unauthorized", message: expect.stringContaining("wrong token") },
      });
    });

    test("every route that the server describes is in this list of refusals", async () => {
      const { json } = await ask(target(), "/api/openapi.json");
      const { paths } = z.parse(Description, json);
      const missing = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { security }]) => security === undefined)
          .map(([method]) => `${method.toUpperCase()} ${path}`)
          .filter((route) => !guarded.some(([method, like]) => pattern(route).test(`${method} ${like}`))),
      );
      expect(missing).toEqual([]);
    });

    test.each(["", "Bearer", "Bearer ", "Basic abc", "bearer\tx"])(
      "the header %j is not accepted as a token",
      async (authorization) => {
        const { status } = await ask(target(), "/api/config", { headers: { authorization } });
        expect(status).toBe(401);
      },
    );

    test("the beginning of the token, and the token with a suffix, are wrong tokens", async () => {
      const { token } = target();
      for (const wrong of [token.slice(0, 32), `${token}x`, token + token]) {
        const { status } = await ask(target(), "/api/config", {
          headers: { authorization: `Bearer ${wrong}` },
        });
        expect(status).toBe(401);
      }
    });

    test("a page of another origin is refused, even with the token", async () => {
      const { status, json, headers } = await ask(target(), "/api/config", {
        headers: { origin: "https://evil.example" },
      });
      expect(status).toBe(403);
      expect(json).toMatchObject({
        error: { code: "forbidden", message: expect.stringContaining("HANDRAIL_ORIGINS") },
      });
      expect(headers.get("access-control-allow-origin")).toBeNull();
    });

    test("the origin `null` is foreign", async () => {
      const { status } = await ask(target(), "/api/config", { headers: { origin: "null" } });
      expect(status).toBe(403);
    });

    test("the app's own page may call it", async () => {
      const { status } = await ask(target(), "/api/config", { headers: { origin: target().url } });
      expect(status).toBe(200);
    });

    test("a host name that a foreign DNS server may point here is refused (DNS rebinding)", async () => {
      const { port } = new URL(target().url);
      expect(await statusUnderHost(target().url, `evil.example:${port}`)).toBe(403);
      expect(await statusUnderHost(target().url, `localhost:${port}`)).toBe(200);
      expect(await statusUnderHost(target().url, `192.168.1.20:${port}`)).toBe(200);
    });

    test("a listed origin may call it, and the answer names that origin", async () => {
      const { status, headers } = await ask(target(), "/api/config", { headers: { origin: listedOrigin } });
      expect(status).toBe(200);
      expect(headers.get("access-control-allow-origin")).toBe(listedOrigin);
      expect(headers.get("vary")?.toLowerCase()).toContain("origin");
    });

    test("a listed origin's preflight is answered without a token", async () => {
      const init = {
        method: "OPTIONS",
        headers: { origin: listedOrigin, "access-control-request-method": "POST" },
      };
      const { status, headers } = await askAsStranger(target(), "/api/turn", init);
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-headers")).toContain("authorization");
    });

    test("a foreign origin's preflight is refused", async () => {
      const init = { method: "OPTIONS", headers: { origin: "https://evil.example" } };
      expect((await askAsStranger(target(), "/api/turn", init)).status).toBe(403);
    });

    test("answers may not be sniffed, stored or shown as a document elsewhere", async () => {
      const { headers } = await ask(target(), "/api/sandboxes", post({ nonsense: true }));
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; frame-ancestors 'none'; sandbox",
      );
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-request-id")).toMatch(/\S/);
    });
  });
}

/** The status of GET /api/health under a given Host header, which fetch does not allow to set. */
function statusUnderHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/api/health`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
  });
}
