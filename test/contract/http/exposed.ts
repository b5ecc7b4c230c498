// The protections of a Handrail that is reachable from the internet: limits, the identity proxy, a token that
// changes. Each test has its own product.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audience, type IdentityProxy, startIdentityProxy } from "../../harness/identity-proxy.ts";
import { type Product, type Runtime, startProduct } from "../../harness/product.ts";
import { ask, askAsStranger, post } from "./request.ts";

/** These tests call no model, so nothing listens there. */
const provider = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", HANDRAIL_MODEL: "unused" };

export function describeExposed(runtime: Runtime): void {
  describe(`rate limits on ${runtime}`, () => {
    let product: Product;
    beforeAll(async () => {
      product = await startProduct({ runtime, env: { ...provider, HANDRAIL_RATE_LIMIT: "30" } });
    });
    afterAll(() => product?.close());

    test("turns above their limit get 429 with Retry-After and the limit's name; other requests still pass", async () => {
      const answers = [];
      for (let index = 0; index < 4; index++)
        answers.push(await ask(product, "/api/turn", post({ nonsense: index })));
      expect(answers.slice(0, 3).map(({ status }) => status)).toEqual([400, 400, 400]);
      expect(answers[3]?.status).toBe(429);
      expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(answers[3]?.json).toMatchObject({
        error: {
          code: "rate_limited",
          retryable: true,
          message: expect.stringMatching(/^Too many turns; try again in \d+ s\.$/),
          details: { limit: "turns" },
        },
      });
      expect((await ask(product, "/api/config")).status).toBe(200);
    });

    test("guessing tokens ends in 429, and the paired phone is not affected", { tags: "long" }, async () => {
      const statuses = new Set<number>();
      // Every second that this takes refills the limit.
      for (let index = 0; index < 5_000 && !statuses.has(429); index++) {
        const authorization = `Bearer ${String(index).padStart(43, "x")}`;
        statuses.add((await askAsStranger(product, "/api/config", { headers: { authorization } })).status);
      }
      expect([...statuses]).toEqual([401, 429]);
      expect((await ask(product, "/api/config")).status).toBe(200);
    });

    test("requests above their limit get 429, and health still answers", async () => {
      let last = 200;
      for (let index = 0; index < 5_000 && last === 200; index++)
        last = (await ask(product, "/api/config")).status;
      expect(last).toBe(429);
      expect((await askAsStranger(product, "/api/health")).status).toBe(200);
    });
  });

  describe(`behind an identity proxy on ${runtime}`, () => {
    let proxy: IdentityProxy;
    let product: Product;
    beforeAll(async () => {
      proxy = await startIdentityProxy();
      const env = { ...provider, HANDRAIL_ACCESS_TEAM: proxy.url, HANDRAIL_ACCESS_AUDIENCE: audience };
      product = await startProduct({ runtime, env });
    });
    afterAll(async () => {
      await product?.close();
      proxy?.close();
    });
    const askWith = (assertion?: string) =>
      ask(product, "/api/config", { headers: assertion ? { "cf-access-jwt-assertion": assertion } : {} });

    test("the token alone is not enough", async () => {
      const { status, json } = await askWith();
      expect(status).toBe(403);
      expect(json).toMatchObject({
        error: { code: "forbidden", message: expect.stringContaining("Cf-Access") },
      });
    });

    test("the proxy's signature and the token together are", async () => {
      expect((await askWith(proxy.assertion())).status).toBe(200);
      expect((await askWith(proxy.assertion({ aud: audience }))).status).toBe(200);
    });

    test("the proxy's signature alone is not enough", async () => {
      const headers = { "cf-access-jwt-assertion": proxy.assertion() };
      expect((await askAsStranger(product, "/api/config", { headers })).status).toBe(401);
    });

    const minute = 60;
    const now = () => Math.floor(Date.now() / 1000);
    test.each<[string, () => string]>([
      ["for another application", () => proxy.assertion({ aud: ["another"] })],
      ["of another team", () => proxy.assertion({ iss: "https://evil.example" })],
      ["that has expired", () => proxy.assertion({ exp: now() - 1 })],
      ["without an end", () => proxy.assertion({ exp: undefined })],
      ["from the future", () => proxy.assertion({ nbf: now() + minute })],
      ["that says it needs no signature", () => proxy.assertion({}, { alg: "none" })],
      ["that names another algorithm", () => proxy.assertion({}, { alg: "HS256" })],
      ["that demands what we do not know", () => proxy.assertion({}, { crit: ["exp"] })],
      ["of an unknown key", () => proxy.assertion({}, { kid: "key-9" })],
      ["changed after signing", () => changed(proxy.assertion())],
      ["cut off", () => proxy.assertion().split(".").slice(0, 2).join(".")],
      ["that is not one", () => "nonsense"],
    ])("an assertion %s is refused", async (_, make) => {
      expect((await askWith(make())).status).toBe(403);
    });

    test("forged assertions do not make us fetch the proxy's keys each time", async () => {
      await askWith(proxy.assertion());
      const before = proxy.asked();
      for (let index = 0; index < 5; index++)
        await askWith(proxy.assertion({}, { kid: `key-${index + 20}` }));
      expect(proxy.asked() - before).toBeLessThanOrEqual(1);
    });
  });

  const beside = { tags: runtime === "node" ? [] : "long" };
  test(`on ${runtime} the request log has route and status, and nothing that was sent`, beside, async () => {
    const product = await startProduct({ runtime, env: { ...provider, HANDRAIL_LOG: "requests" } });
    await ask(product, "/api/sandboxes/session-7/file?path=private.txt", {
      headers: { "x-model-key": "a-persons-own-key" },
    });
    await ask(product, "/api/turn", post({ text: "what a person said" }));
    await ask(product, "/api/made-up-by-somebody");
    await product.close();
    const lines = product.logs().split("\n");
    const requests = lines.flatMap((line) => (line.includes('"event":"request"') ? [JSON.parse(line)] : []));
    expect(requests.slice(-3)).toMatchObject([
      { method: "GET", route: "/api/sandboxes/:id/file", status: 404, requestId: expect.any(String) },
      { method: "POST", route: "/api/turn", status: 400 },
      { method: "GET", route: "none", status: 404 },
    ]);
    const printed = lines.filter((line) => line.startsWith("{")).join("\n");
    for (const sent of [product.token, "session-7", "private.txt", "persons-own", "person said", "made-up"])
      expect(printed).not.toContain(sent);
  });

  test(`on ${runtime} another token signs every device out`, { tags: "long" }, async () => {
    const state = await mkdtemp(join(tmpdir(), "handrail-state-"));
    const start = (HANDRAIL_TOKEN: string) =>
      startProduct({ runtime, env: { ...provider, HANDRAIL_STATE: state, HANDRAIL_TOKEN } });
    const before = await start("a".repeat(40));
    expect((await ask(before, "/api/config")).status).toBe(200);
    await before.close();
    const after = await start("b".repeat(40));
    expect((await ask({ ...after, token: before.token }, "/api/config")).status).toBe(401);
    expect((await ask(after, "/api/config")).status).toBe(200);
    await after.close();
    await rm(state, { recursive: true, force: true });
  });
}

/** The same signature over different claims. */
function changed(assertion: string): string {
  const [header, claims, signature] = assertion.split(".");
  const payload = JSON.parse(Buffer.from(claims ?? "", "base64url").toString());
  const other = Buffer.from(JSON.stringify({ ...payload, exp: payload.exp + 1 })).toString("base64url");
  return [header, other, signature].join(".");
}
