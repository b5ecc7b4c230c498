// Who may call /api: hosts, origins and tokens, each guard separately.
import { Hono } from "hono/tiny";
import { describe, expect, test } from "vitest";
import { bearer, knownHost, sameOrigin } from "../../../functions/routes/guard.ts";
import { HandrailError, statusOf } from "../../../shared/errors.ts";

type Guard = ReturnType<typeof bearer>;

const behind = (guard: Guard) =>
  new Hono()
    .use(guard)
    .all("*", (c) => c.text("in"))
    .onError(
      (error) => new Response("", { status: error instanceof HandrailError ? statusOf[error.code] : 500 }),
    );
const status = async (guard: Guard, url: string, init?: RequestInit) =>
  (await behind(guard).request(url, init)).status;

describe("the host", () => {
  test.each([
    ["http://localhost:8787/", 200],
    ["http://127.0.0.1/", 200],
    ["http://192.168.1.20:8787/", 200],
    ["http://[::1]:8787/", 200],
    ["http://[fe80::1]/", 200],
    ["https://app.example/", 200],
    ["https://app.example.evil.example/", 403],
    ["https://evil.app.example/", 403],
    ["http://evil.example/", 403],
    ["http://localhost.evil.example/", 403],
    ["http://127.0.0.1.evil.example/", 403],
    ["http://a127.0.0.1.nip.example/", 403],
  ])("%s is %i where names are known", async (url, expected) => {
    expect(await status(knownHost(["app.example"]), url)).toBe(expected);
  });

  test("is not looked at where the platform in front has checked it", async () => {
    expect(await status(knownHost(undefined), "http://evil.example/")).toBe(200);
  });
});

describe("the origin", () => {
  const guard = sameOrigin(["https://listed.example"]);
  test.each([
    [undefined, 200],
    ["https://app.example", 200],
    ["https://listed.example", 200],
    ["null", 403],
    ["", 403],
    ["http://app.example", 403],
    ["https://app.example:8443", 403],
    ["https://listed.example.evil.example", 403],
  ])("%j is %i", async (origin, expected) => {
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    expect(await status(guard, "https://app.example/", { headers })).toBe(expected);
  });

  test("a listed one is told what it may send and read, and no other is", async () => {
    const asked = (origin: string) =>
      behind(guard).request("https://app.example/", { method: "OPTIONS", headers: { origin } });
    const listed = await asked("https://listed.example");
    expect([listed.status, await listed.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(listed.headers)).toMatchObject({
      "access-control-allow-origin": "https://listed.example",
      vary: "origin",
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": expect.stringContaining("authorization"),
      "access-control-max-age": "600",
    });
    expect(listed.headers.get("access-control-allow-credentials")).toBeNull();
    expect((await asked("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("the token", () => {
  const token = "0123456789abcdef0123456789abcdef";
  const strangers: string[] = [];
  const guard = bearer(token, async (c) => {
    strangers.push(c.req.path);
  });
  test.each([
    [`Bearer ${token}`, 200],
    [`bearer  ${token}`, 200],
    [`Bearer ${token.slice(0, -1)}`, 401],
    [`Bearer ${token}0`, 401],
    [`Bearer ${token}${token}`, 401],
    [`Bearer ${token} ${token}`, 401],
    [`Bearer ${token.toUpperCase()}`, 401],
    [`Token ${token}`, 401],
    [`x Bearer ${token}`, 401],
    [token, 401],
    ["Bearer", 401],
  ])("%s is %i", async (authorization, expected) => {
    strangers.length = 0;
    expect(await status(guard, "http://localhost/x", { headers: { authorization } })).toBe(expected);
    expect(strangers).toEqual(expected === 200 ? [] : ["/x"]);
  });

  test("each request without it is counted, and may be refused for that", async () => {
    const full = bearer(token, () => Promise.reject(new HandrailError("rate_limited", "Too many.")));
    expect(await status(full, "http://localhost/")).toBe(429);
    const headers = { authorization: `Bearer ${token}` };
    expect(await status(full, "http://localhost/", { headers })).toBe(200);
  });
});
