// Ids and queries of the edge's routes: those of another shape are refused before anything is asked of the sandbox
// server, so that none of them can name another path there.
import { describe, expect, test } from "vitest";
import { openapiDocument } from "../../../functions/routes/openapi-document.ts";
import { edgeAlone } from "./edge-alone.ts";

/** Every route of the API, as `METHOD /path/{id}`. */
const routes = Object.entries(Object(openapiDocument).paths).flatMap(([path, methods]) =>
  Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
);

/** As they are written in an address. */
const wrongIds = [
  "a%2Fb",
  "..%2Fother",
  "%252e%252e",
  "a%20b",
  "a.b",
  "a%00",
  "%C3%A9",
  "a%0Ab",
  "i".repeat(101),
];
const longestId = "i".repeat(100);
/** What these routes read before the id. */
const alsoSent: Readonly<Record<string, object>> = {
  "POST /api/sandboxes/{id}/plan-file": { path: "plans/plan.md", text: "# Plan" },
  "POST /api/sandboxes/{id}/restore": { snapshot: "start" },
};

describe("an id that could name another path", () => {
  const ids = ["{id}", "{sandboxId}", "{turnId}"];
  const named = routes.flatMap((route) =>
    ids.filter((name) => route.includes(name)).map((name) => [route, name] as const),
  );

  test("is possible in most routes", () => {
    expect(named.length).toBeGreaterThan(45);
  });

  test.each(named)("is refused by %s in place of %s", async (route, name) => {
    const edge = edgeAlone();
    for (const wrong of wrongIds) {
      const at = `${route.replace(name, wrong).replace(/\{\w+\}/g, "i1")}${route.endsWith("/file") ? "?path=p" : ""}`;
      const body = route.startsWith("POST") ? (alsoSent[route] ?? {}) : undefined;
      expect(`${wrong}: ${await edge.refusal(at, body)}`).toMatch(
        /: (invalid_request: sandbox id: |not_found: No such turn: ids are )/,
      );
    }
    expect(edge.asked).toEqual([]);
  });
});

test("an id of a hundred characters is accepted, and reaches the sandbox server as it is", async () => {
  const edge = edgeAlone();
  await edge.send(`DELETE /api/sandboxes/${longestId}`);
  await edge.send(`POST /api/turns/${longestId}/${longestId}/steer`, { id: longestId, text: "Hello" });
  expect(edge.asked.map(({ at }) => at)).toEqual([
    `/sandboxes/${longestId}`,
    `/sandboxes/${longestId}/turns/${longestId}/steer`,
  ]);
});

describe("what a grant, a command in the background or a file taken out is called", () => {
  const parts = routes.filter((route) => /\{(grant|command|entry)\}/.test(route));
  test.each(parts)("is one part of the address that %s asks, whatever it is", async (route) => {
    const edge = edgeAlone();
    const at = route.replace("{id}", "i1");
    for (const odd of ["..%2F..%2Fother", "a%2Fb", "a%3Fb=c", "%23", "%252e%252e%252f"])
      await edge.send(at.replace(/\{\w+\}/, odd));
    const [, folder = ""] = /\{id\}\/([\w-]+)/.exec(route) ?? [];
    expect(edge.asked).toHaveLength(5);
    for (const { at: asked } of edge.asked)
      expect(new URL(asked, "http://sandbox.test").pathname).toMatch(
        new RegExp(`^/sandboxes/i1/${folder}/[^/]+$`),
      );
  });
});

describe("a query of another shape is refused", () => {
  test.each([
    ["GET /api/sandboxes?after=x", "after"],
    ["GET /api/sandboxes?after=12345678901234.s", "after"],
    ["GET /api/sandboxes?after=123456789012345.a/b", "after"],
    [`GET /api/sandboxes?after=123456789012345.${"i".repeat(101)}`, "after"],
    ["GET /api/sandboxes/i1/history?after=t1", "after"],
    ["GET /api/sandboxes/i1/history?after=a/b.1", "after"],
    [`GET /api/sandboxes/i1/history?after=${"i".repeat(101)}.1`, "after"],
    ["GET /api/sandboxes/i1/history?after=t1.1234567890", "after"],
    ["GET /api/sandboxes/i1/history?after=t1.1.0123456789abcde", "after"],
    ["GET /api/sandboxes/i1/history?after=t1.1.0123456789ABCDEF", "after"],
    ["GET /api/sandboxes/i1/history?waitMs=123456", "waitMs"],
    ["GET /api/sandboxes/i1/history?waitMs=-1", "waitMs"],
    ["GET /api/sandboxes/i1/history?client=a/b", "client"],
    [`GET /api/sandboxes/i1/history?client=${"c".repeat(101)}`, "client"],
    ["GET /api/sandboxes/i1/history?known=1e3", "known"],
    ["GET /api/sandboxes/i1/history?known=1234567890123456", "known"],
    ["GET /api/sandboxes/i1/tree?depth=0", "depth"],
    ["GET /api/sandboxes/i1/tree?depth=100", "depth"],
    ["GET /api/sandboxes/i1/tree?depth=1.5", "depth"],
    ["GET /api/sandboxes/i1/file", "path"],
    ["GET /api/sandboxes/i1/file?path=", "path"],
    ["GET /api/sandboxes/i1/diff?since=", "since"],
    ["GET /api/sandboxes/i1/diff?all=2", "all"],
    ["GET /api/sandboxes/i1/changes?since=", "since"],
    ["GET /api/sandboxes/i1/tree?other=1", "other"],
    ["GET /api/sandboxes/i1/file?path=a&other=1", "other"],
    ["GET /api/sandboxes/i1/diff?other=1", "other"],
    ["GET /api/sandboxes/i1/changes?other=1", "other"],
    ["GET /api/sandboxes?other=1", "other"],
    ["GET /api/sandboxes/i1/history?other=1", "other"],
    ["GET /api/turns/i1/t1/events?after=x", "after"],
    ["GET /api/turns/i1/t1/events?after=1234567890", "after"],
    ["GET /api/turns/i1/t1/events?after=-1", "after"],
    ["GET /api/turns/i1/t1/events?seen=x", "seen"],
    ["GET /api/sandboxes/i1/pull-request?other=1", "other"],
    ["GET /api/sandboxes/i1/pull-request/log?number=1", "check"],
    ["GET /api/sandboxes/i1/pull-request/log?number=1234567890&check=c", "number"],
    ["GET /api/sandboxes/i1/pull-request/log?number=1%2F2&check=c", "number"],
    [`GET /api/sandboxes/i1/pull-request/log?number=1&check=${"c".repeat(301)}`, "check"],
    ["GET /api/sandboxes/i1/pull-request/log?number=1&check=c&other=1", "other"],
    [`GET /api/forges/github.com/repositories?text=${"t".repeat(201)}`, "text"],
    ["GET /api/forges/github.com/repositories?page=0", "page"],
    ["GET /api/forges/github.com/repositories?page=123456", "page"],
    ["GET /api/forges/github.com/repositories?other=1", "other"],
    ["GET /api/forges/github.com/branches", "repository"],
    ["GET /api/forges/github.com/branches?repository=alone", "repository"],
    ["GET /api/forges/github.com/branches?repository=a/../b", "repository"],
    ["GET /api/forges/github.com/branches?repository=a/b&other=1", "other"],
    ["GET /api/forges/github.com/issues?repository=../a/b", "repository"],
    ["GET /api/forges/github.com/issue?repository=a/b&number=1%2F2", "number"],
    ["GET /api/forges/github.com/issue?repository=a/b&number=1234567890", "number"],
    ["GET /api/forges/github.com/issue?repository=a/b&number=1&other=1", "other"],
  ])("%s", async (route, field) => {
    const edge = edgeAlone();
    const refusal = await edge.refusal(route);
    expect(refusal).toMatch(/^invalid_request: /);
    expect(refusal).toContain(field);
    expect(edge.asked).toEqual([]);
  });
});

test("a forge's name that is no address is refused, and no forge is asked", async () => {
  const edge = edgeAlone();
  for (const host of ["%E0%A4", "a%2Fb", "github.com%2F..", "user%40github.com"])
    expect(`${host}: ${await edge.refusal(`GET /api/forges/${host}/user`)}`).not.toContain("internal");
  expect(edge.asked).toEqual([]);
});

test("a forge must be named exactly, because a token is for one forge only: a port is not left out", async () => {
  const edge = edgeAlone();
  const refusal = await edge.refusal("GET /api/forges/github.com%3A2222/user");
  expect(refusal).toBe(
    "invalid_request: github.com:2222 is not a forge that this server knows; github.com is.",
  );
  expect(edge.asked).toEqual([]);
});
