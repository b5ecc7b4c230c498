// The bodies of the edge's routes: what is too large, too deep or unknown is refused before anything is asked of the
// sandbox server, and each field has its limit.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openapiDocument } from "../../../functions/routes/openapi-document.ts";
import { edgeAlone } from "./edge-alone.ts";

/** One byte over 8 MB. */
const tooLarge = " ".repeat(8 * 1024 * 1024 + 1);
const compressed = new Blob([gzipSync(tooLarge)]);
const long = (chars: number) => "x".repeat(chars);
const many = <T>(count: number, one: T): T[] => new Array(count).fill(one);

/** Every route that reads a body. */
const routes = Object.entries(Object(openapiDocument).paths).flatMap(([path, methods]) =>
  Object.entries(Object(methods)).flatMap(([method, route]) =>
    Object(route).requestBody === undefined ? [] : [`${method.toUpperCase()} ${path}`],
  ),
);
const at = (route: string) => route.replace(/\{\w+\}/g, "i1");

const message = { type: "message", text: "Hello" };
const turn = { protocol: 1, turnId: "t1", sandboxId: "i1", mode: "normal", input: message };
const keys = { p256dh: `B${long(86)}`, auth: long(22) };
const subscription = { endpoint: "https://push.test/1", keys };
const point = { turnId: "t1", snapshot: "s1", at: 1, text: "" };

/** By route: a body that it accepts. */
const accepted: Readonly<Record<string, object>> = {
  "POST /api/push/test": { subscription },
  "POST /api/draft": { kind: "title", text: "Add a login" },
  "POST /api/second-opinion": { plan: "# Plan", steps: [] },
  "POST /api/turn": turn,
  "POST /api/turns/{sandboxId}/{turnId}/resume": { attempt: 2 },
  "POST /api/turns/{sandboxId}/{turnId}/steer": { id: "s1", text: "Wait" },
  "POST /api/turns/{sandboxId}/{turnId}/notify": subscription,
  "POST /api/sandboxes": {},
  "POST /api/sandboxes/{id}/notes": {},
  "POST /api/sandboxes/{id}/hosts": { host: "example.com", scope: "once" },
  "POST /api/sandboxes/{id}/network": { scope: "once" },
  "POST /api/sandboxes/{id}/worktree": {},
  "POST /api/sandboxes/{id}/bring-back": { how: "merge" },
  "POST /api/sandboxes/{id}/commit": { key: "k1" },
  "POST /api/sandboxes/{id}/push": { key: "k1", branch: "main" },
  "POST /api/sandboxes/{id}/plan-file": { path: "plans/a.md", text: "# Plan" },
  "POST /api/sandboxes/{id}/pull-request": { key: "k1", title: "Login", body: "" },
  "POST /api/sandboxes/{id}/pull-request/merge": { number: 1, head: "abc" },
  "POST /api/sandboxes/{id}/pull-request/delete-branch": { number: 1 },
  "POST /api/sandboxes/{id}/pull-request/resolve": { number: 1, thread: "t" },
  "POST /api/sandboxes/{id}/pull-request/answer": { number: 1, text: "Yes" },
  "POST /api/sandboxes/{id}/pull-request/change": { number: 1 },
  "POST /api/mcp/tools": { name: "docs" },
  "POST /api/forges/{host}/device-token": { deviceCode: "c" },
  "POST /api/sandboxes/{id}/restore": { snapshot: "start" },
};

test("every route that reads a body is in this list", () => {
  expect(routes.filter((route) => !(route in accepted))).toEqual([]);
});

describe.each(routes)("%s", (route) => {
  const body = accepted[route] ?? {};

  test("refuses a body over 8 MB, plain and compressed", async () => {
    const edge = edgeAlone();
    expect((await edge.send(at(route), tooLarge)).status).toBe(413);
    expect((await edge.send(at(route), compressed, { "content-encoding": "gzip" })).status).toBe(413);
    expect(edge.asked).toEqual([]);
  });

  test("refuses a hundred and one levels, an unknown field, no object, and no JSON", async () => {
    const edge = edgeAlone();
    const refusals = [
      await edge.refusal(at(route), `{"x":${"[".repeat(100)}${"]".repeat(100)}}`),
      await edge.refusal(at(route), { ...body, neverKnown: 1 }),
      await edge.refusal(at(route), "[]"),
      await edge.refusal(at(route), "{"),
    ];
    expect(refusals).toEqual([
      expect.stringContaining("nested deeper than 100 levels"),
      expect.stringContaining('unknown field "neverKnown"'),
      expect.stringMatching(/^invalid_request: body/),
      expect.stringContaining("not valid JSON"),
    ]);
    expect(edge.asked).toEqual([]);
  });
});

/** A route, a field, its largest value, and one that is too large. */
const limits: readonly (readonly [route: string, field: string, largest: unknown, tooLarge: unknown])[] = [
  [
    "POST /api/push/test",
    "subscription.endpoint",
    `https://p.test/${long(1_985)}`,
    `https://p.test/${long(1_986)}`,
  ],
  ["POST /api/draft", "text", long(60_000), long(60_001)],
  ["POST /api/second-opinion", "task", long(60_000), long(60_001)],
  ["POST /api/second-opinion", "plan", long(60_000), long(60_001)],
  [
    "POST /api/second-opinion",
    "steps",
    many(100, { id: "s", description: "" }),
    many(101, { id: "s", description: "" }),
  ],
  ["POST /api/second-opinion", "key", long(200), long(201)],
  ["POST /api/second-opinion", "sandboxId", long(100), "a/b"],
  ["POST /api/turn", "turnId", long(100), long(101)],
  ["POST /api/turn", "turnId", "t", "a/b"],
  ["POST /api/turn", "sandboxId", long(100), long(101)],
  ["POST /api/turn", "client", long(100), "a/b"],
  ["POST /api/turn", "attempt", 1, 0],
  ["POST /api/turn", "after", 0, -1],
  ["POST /api/turn", "stored", { turnId: "t0", after: 1 }, { turnId: "../t0", after: 1 }],
  ["POST /api/turn", "options.maxRounds", 50, 51],
  ["POST /api/turn", "options.effort", long(20), long(21)],
  ["POST /api/turn", "options.notify", subscription, { ...subscription, endpoint: long(2_001) }],
  ["POST /api/turns/{sandboxId}/{turnId}/resume", "attempt", 2, 0],
  ["POST /api/turns/{sandboxId}/{turnId}/steer", "id", long(100), long(101)],
  ["POST /api/turns/{sandboxId}/{turnId}/steer", "id", "s", "a/b"],
  ["POST /api/turns/{sandboxId}/{turnId}/notify", "runningMinutes", 1_440, 1_441],
  [
    "POST /api/sandboxes",
    "worktree",
    { when: "always", name: long(200) },
    { when: "always", name: long(201) },
  ],
  ["POST /api/sandboxes/{id}/notes", "title", long(200), long(201)],
  ["POST /api/sandboxes/{id}/notes", "undoPoints", many(50, point), many(51, point)],
  [
    "POST /api/sandboxes/{id}/notes",
    "undoPoints",
    [{ ...point, text: long(200) }],
    [{ ...point, text: long(201) }],
  ],
  ["POST /api/sandboxes/{id}/notes", "writer", long(100), long(101)],
  ["POST /api/sandboxes/{id}/notes", "endedPush", long(20), long(21)],
  ["POST /api/sandboxes/{id}/worktree", "name", long(200), long(201)],
  ["POST /api/sandboxes/{id}/bring-back", "message", long(5_000), long(5_001)],
  ["POST /api/sandboxes/{id}/commit", "key", long(100), long(101)],
  ["POST /api/sandboxes/{id}/commit", "key", "k", "a/b"],
  ["POST /api/sandboxes/{id}/commit", "message", long(20_000), long(20_001)],
  ["POST /api/sandboxes/{id}/commit", "paths", many(5_000, "a"), many(5_001, "a")],
  [
    "POST /api/sandboxes/{id}/commit",
    "hunks",
    many(5_000, { path: "a", seen: ".." }),
    many(5_001, { path: "a", seen: ".." }),
  ],
  ["POST /api/sandboxes/{id}/commit", "branch", long(200), long(201)],
  [
    "POST /api/sandboxes/{id}/commit",
    "author",
    { name: long(200), email: "e" },
    { name: long(201), email: "e" },
  ],
  ["POST /api/sandboxes/{id}/commit", "author", { name: "N", email: "e" }, { name: "N", email: "e>\n" }],
  ["POST /api/sandboxes/{id}/push", "key", long(100), "a/b"],
  ["POST /api/sandboxes/{id}/push", "branch", long(200), long(201)],
  ["POST /api/sandboxes/{id}/push", "shown", many(1_000, "a"), many(1_001, "a")],
  ["POST /api/sandboxes/{id}/plan-file", "path", `plans/${long(100)}.md`, `plans/${long(101)}.md`],
  ["POST /api/sandboxes/{id}/plan-file", "path", "plans/a.md", "plans/../a.md"],
  ["POST /api/sandboxes/{id}/pull-request", "key", long(100), "a/b"],
  ["POST /api/sandboxes/{id}/pull-request", "title", long(250), long(251)],
  ["POST /api/sandboxes/{id}/pull-request", "title", "T", ""],
  ["POST /api/sandboxes/{id}/pull-request", "body", long(60_000), long(60_001)],
  ["POST /api/sandboxes/{id}/pull-request", "base", long(200), long(201)],
  ["POST /api/sandboxes/{id}/pull-request", "branch", long(200), long(201)],
  ["POST /api/sandboxes/{id}/pull-request/merge", "head", long(100), long(101)],
  ["POST /api/sandboxes/{id}/pull-request/merge", "number", 1, 0],
  ["POST /api/sandboxes/{id}/pull-request/delete-branch", "number", 1, 1.5],
  ["POST /api/sandboxes/{id}/pull-request/resolve", "number", 1, -1],
  ["POST /api/sandboxes/{id}/pull-request/resolve", "thread", long(300), long(301)],
  ["POST /api/sandboxes/{id}/pull-request/answer", "number", 1, 1.5],
  ["POST /api/sandboxes/{id}/pull-request/answer", "text", long(10_000), long(10_001)],
  ["POST /api/sandboxes/{id}/pull-request/answer", "thread", long(300), long(301)],
  ["POST /api/sandboxes/{id}/pull-request/change", "number", 1, 0],
  ["POST /api/sandboxes/{id}/pull-request/change", "title", long(250), long(251)],
  ["POST /api/sandboxes/{id}/pull-request/change", "body", long(60_000), long(60_001)],
  ["POST /api/mcp/tools", "name", long(30), long(31)],
  ["POST /api/mcp/tools", "name", "docs", "../docs"],
  ["POST /api/mcp/tools", "url", `https://m.test/${long(1_985)}`, `https://m.test/${long(1_986)}`],
  ["POST /api/mcp/tools", "command", long(2_000), long(2_001)],
  ["POST /api/mcp/tools", "command", "npx docs", "npx docs\nrm"],
  ["POST /api/mcp/tools", "seconds", 600, 601],
  ["POST /api/mcp/tools", "at", "0".repeat(64), "0".repeat(65)],
  ["POST /api/forges/{host}/device-token", "deviceCode", long(300), long(301)],
  ["POST /api/sandboxes/{id}/restore", "seen", "0".repeat(64), "0".repeat(65)],
  ["POST /api/sandboxes/{id}/restore", "hunk", 1, 0],
];

const withField = (body: object, field: string, value: unknown): object => {
  const [first = "", ...rest] = field.split(".");
  const inner = Object(Reflect.get(body, first) ?? {});
  return { ...body, [first]: rest.length === 0 ? value : withField(inner, rest.join("."), value) };
};

test.each(limits)("%s accepts no larger or other %s", async (route, field, largest, tooLarge) => {
  const body = accepted[route] ?? {};
  const refused = `invalid_request: body.${field.split(".")[0]}`;
  const edge = edgeAlone();
  expect(await edge.refusal(at(route), withField(body, field, tooLarge))).toContain(refused);
  expect(edge.asked).toEqual([]);
  const answer = await edge.send(at(route), withField(body, field, largest));
  expect(await answer.text()).not.toContain(`body.${field.split(".")[0]}`);
});
