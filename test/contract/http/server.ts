import { describe, expect, test } from "vitest";
import { Config, Health, MetricsReport } from "../../../shared/api.ts";
import { version } from "../../../shared/version.ts";
import { ask, askAsStranger } from "./request.ts";
import type { GetTarget } from "./target.ts";

export function describeServer(target: GetTarget): void {
  describe("the server's description of itself", () => {
    test("GET /api/health answers anybody", async () => {
      const { status, json } = await askAsStranger(target(), "/api/health");
      expect(status).toBe(200);
      expect(Health.parse(json)).toEqual({ ok: true, version });
    });

    test("a connection stays open between two requests for longer than a tunnel or proxy waits", async () => {
      const { headers, body } = await fetch(`${target().url}/api/health`);
      await body?.cancel();
      // Only Node closes idle connections on its own and announces after how many seconds.
      const seconds = /timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1] ?? Number.POSITIVE_INFINITY;
      expect(Number(seconds)).toBeGreaterThan(90);
    });

    test("GET /api/config names providers, the sandbox's isolation and limits", async () => {
      const { status, json } = await ask(target(), "/api/config");
      expect(status).toBe(200);
      const config = Config.parse(json);
      expect(config.providers.length).toBeGreaterThan(0);
      expect(config.providers[0]?.models.length).toBeGreaterThan(0);
      expect(["bubblewrap", "none"]).toContain(config.sandbox.isolation);
      expect(config.limits.maxBodyBytes).toBe(8 * 1024 * 1024);
    });

    test("GET /api/config shows no address and no key of a provider", async () => {
      const { text } = await ask(target(), "/api/config");
      expect(text).not.toMatch(/https?:\/\/|apiKey|baseUrl/i);
    });

    test("GET /api/openapi.json describes every route with the shapes that are parsed", async () => {
      const { status, json } = await ask(target(), "/api/openapi.json");
      expect(status).toBe(200);
      expect(json).toMatchObject({
        openapi: "3.1.0",
        paths: {
          "/api/health": { get: { security: [] } },
          "/api/turn": {
            post: {
              requestBody: {
                content: {
                  "application/json": { schema: { required: expect.arrayContaining(["turnId", "input"]) } },
                },
              },
            },
          },
          "/api/sandboxes/{id}/restore": { post: {} },
        },
      });
    });

    test("GET /api/metrics counts answers by class, and holds no content", async () => {
      const { json } = await ask(target(), "/api/metrics");
      await ask(target(), "/api/nothing");
      const { json: later } = await ask(target(), "/api/metrics");
      expect(MetricsReport.parse(later).requests["4xx"]).toBe(
        (MetricsReport.parse(json).requests["4xx"] ?? 0) + 1,
      );
    });

    test.each([
      ["GET", "/api/nothing"],
      ["POST", "/api/health"],
      ["GET", "/api/turn"],
      ["PUT", "/api/sandboxes"],
      ["GET", "/api"],
    ])("%s %s is not a route: 404 in the error form", async (method, path) => {
      const { status, json } = await ask(target(), path, { method });
      expect(status).toBe(404);
      expect(json).toMatchObject({
        error: {
          code: "not_found",
          message: expect.stringContaining(path),
          requestId: expect.any(String),
          retryable: false,
        },
      });
    });
  });
}
