// Forges that misbehave: limits, redirects, floods, silence, and how long each may take.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { forgeToken } from "../fakes/forge/played-forge.ts";
import { asked, type ForgeStage, openStage, refusal, seen } from "./forge/stage.ts";
import { ask, post } from "./http/request.ts";

let stage: ForgeStage;
let path: string;

beforeAll(async () => {
  stage = await openStage("github");
  path = await stage.branch("handrail/limits");
  await stage.ask(path, asked());
  const sha = stage.forge.headOf("handrail/limits") ?? "";
  stage.forge.checks.push({
    id: 500,
    name: "build",
    sha,
    state: "failed",
    log: "broke\n##[error]exit 1\nPost job cleanup.\n",
  });
});
afterAll(() => stage.close());
afterEach(() => {
  stage.forge.quirks = { ...stage.forge.usual };
});

const answers = (status: number, headers: Record<string, string>, message: string) => () => ({
  ...{ status, headers },
  body: { message, documentation_url: "https://docs.github.com" },
});

test.each([
  [
    "the hour's limit is used up",
    403,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1_000) + 600) },
    "API rate limit exceeded for user ID 1.",
    [500, 700],
  ],
  [
    "a secondary limit names its pause",
    403,
    { "retry-after": "31" },
    "You have exceeded a secondary rate limit.",
    [31, 31],
  ],
  [
    "a secondary limit names none",
    403,
    {},
    "You have exceeded a secondary rate limit. Please wait.",
    [60, 60],
  ],
  ["too many requests", 429, { "retry-after": "86400" }, "Too many", [3_600, 3_600]],
])("%s: the error says how long to wait", async (_, status, headers, message, [least, most]) => {
  stage.forge.quirks.before = answers(status, headers as Record<string, string>, message);
  const { status: got, headers: sent, json } = await stage.ask(path);
  expect([got, json]).toMatchObject([429, { error: { code: "rate_limited" } }]);
  const wait = Number(sent.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(least ?? 0);
  expect(wait).toBeLessThanOrEqual(most ?? 0);
});

test("a 403 that is not a rate limit means missing rights, with the forge's message in one line", async () => {
  stage.forge.quirks.before = answers(403, {}, "Resource not\u202e accessible\n by personal access token");
  expect(refusal(await stage.ask(path))).toMatchObject({
    reason: "rights",
    words: expect.stringContaining("Resource not accessible by personal access token"),
  });
});

test("a token that may not read checks shows the Actions jobs instead", async () => {
  stage.forge.quirks.hidesChecks = true;
  const { checks } = seen(await stage.ask(path));
  expect(checks).toMatchObject([{ id: "job-500", name: "CI / build", state: "failed", log: true }]);
  const { json } = await stage.ask(`${path}/log?number=1&check=job-500`);
  expect(json).toEqual({ text: "broke\n##[error]exit 1", cut: false });
});

test("drafts are refused with a message where the plan of the account does not include them", {
  tags: "long",
}, async () => {
  const other = await stage.branch("handrail/no-drafts");
  stage.forge.quirks.refusesDrafts = true;
  expect(refusal(await stage.ask(other, asked("x", { draft: true }))).words).toContain("Turn the draft off");
});

test("a renamed repository is followed on its own host, and a redirect to another host never gets the token", {
  tags: "long",
}, async () => {
  const heard: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.end(request.url?.startsWith("/logs/") ? "from the store\n" : "{}");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  try {
    stage.forge.quirks.before = ({ path: to, query }) =>
      to === "/api/v3/repos/team/app/pulls" && !query.has("moved")
        ? { status: 301, headers: { location: `${stage.running.origin}${to}?${query}&moved=1` } }
        : undefined;
    expect(seen(await stage.ask(path)).number).toBe(1);
    stage.forge.quirks.before = ({ path: to }) => ({ status: 302, headers: { location: `${other}${to}` } });
    expect(refusal(await stage.ask(path))).toMatchObject({ reason: "redirect" });
    expect(heard).toEqual([]);
    stage.forge.quirks.before = undefined;
    stage.forge.quirks.logsAt = other;
    expect((await stage.ask(`${path}/log?number=1&check=run-500`)).json).toEqual({
      text: "from the store",
      cut: false,
    });
    expect(heard).toEqual([undefined]);
    // A log is not fetched from inside the server's network either.
    for (const inside of [
      "http://169.254.169.254",
      "https://10.0.0.1",
      "https://metadata.internal",
      "https://localhost",
    ]) {
      stage.forge.quirks.logsAt = inside;
      expect(refusal(await stage.ask(`${path}/log?number=1&check=run-500`))).toMatchObject({
        reason: "redirect",
      });
    }
  } finally {
    elsewhere.close();
  }
});

test("a log of 200 MB is cut to its end while it downloads", { tags: "long" }, async () => {
  stage.forge.quirks.logBytes = 200 * 1024 * 1024;
  const before = process.memoryUsage().arrayBuffers;
  const { json } = await stage.ask(`${path}/log?number=1&check=run-500`);
  expect(json).toMatchObject({
    cut: true,
    text: expect.stringMatching(/^a line(?:.|\n)*broke\n##\[error\]exit 1$/),
  });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
});

test("an answer that is not from an API, one that breaks off and a failing forge are reported differently", async () => {
  stage.forge.quirks.before = () => ({ status: 200, body: "<html>Sign in</html>" });
  expect(refusal(await stage.ask(path)).words).toContain("HANDRAIL_FORGES");
  stage.forge.quirks.before = () => "cut";
  expect(refusal(await stage.ask(path))).toMatchObject({ reason: "down" });
  stage.forge.quirks.before = () => ({ status: 200, long: { bytes: 100_000, end: "", isCut: true } });
  expect(refusal(await stage.ask(path))).toMatchObject({
    reason: "down",
    words: expect.stringContaining("did not answer to the end"),
  });
  stage.forge.quirks.before = () => ({ status: 503, body: "" });
  expect(refusal(await stage.ask(path)).words).toContain("503");
  stage.forge.quirks.before = () => ({ status: 200, long: { bytes: 9 * 1024 * 1024, end: "" } });
  expect(refusal(await stage.ask(path)).words).toContain("8 MB");
});

test.each([
  ["RATE_LIMITED", "API rate limit exceeded for user ID 1.", 429, "rate_limited"],
  [undefined, "You have exceeded a secondary rate limit.", 429, "rate_limited"],
  ["INSUFFICIENT_SCOPES", "Your token has not been granted the required scopes.", 502, "rights"],
  [undefined, "Something went wrong while executing your query.", 502, "down"],
  ["MAX_NODE_LIMIT_EXCEEDED", "Too many nodes.", 502, "other"],
])("a GraphQL error of type %j is reported as what it is: %j", async (type, message, status, reason) => {
  const reset = String(Math.floor(Date.now() / 1_000) + 600);
  stage.forge.quirks.before = ({ path: to }) =>
    to === "/api/graphql"
      ? {
          status: 200,
          headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
          body: { data: null, errors: [{ ...(type && { type }), message }] },
        }
      : undefined;
  const asked = post({ number: 1, thread: "t" });
  const answer = await stage.ask(`${path}/resolve`, asked);
  expect(refusal(answer)).toMatchObject({ status, reason });
  if (status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(500);
});

test("a request for any repository but the sandbox's own sends the token nowhere", {
  tags: "long",
}, async () => {
  const { host } = new URL(stage.running.origin);
  const headers = (seen: string) => ({ headers: { "x-git-remote": seen } });
  const head = stage.forge.headOf("handrail/limits");
  const all: [string, object?][] = [
    [path],
    [path, asked()],
    [`${path}/merge`, post({ number: 1, head })],
    [`${path}/delete-branch`, post({ number: 1 })],
    [`${path}/resolve`, post({ number: 1, thread: "t" })],
    [`${path}/log?number=1&check=run-500`],
    [path.replace("pull-request", "push"), post({ key: "p1", branch: "handrail/limits" })],
  ];
  const before = stage.forge.requests.length;
  for (const seen of ["evil.example/team/app", `${host}/other/app`, `${host}/team/other`])
    for (const [to, init = {}] of all) {
      const own = (init as RequestInit).headers as Record<string, string> | undefined;
      const answer = await stage.ask(to, { ...init, headers: { ...own, ...headers(seen).headers } });
      expect([to, refusal(answer)]).toMatchObject([
        to,
        { status: 400, words: expect.stringContaining("by now") },
      ]);
    }
  expect(stage.forge.requests.length).toBe(before);
  expect((await stage.ask(path, headers(`${host}/team/app`))).status).toBe(200);
});

test("a host that is not a known forge is never asked", async () => {
  const { json, status } = await stage.ask("/api/forges/evil.example/user");
  expect([status, json]).toMatchObject([
    501,
    { error: { message: expect.stringContaining("HANDRAIL_FORGES=") } },
  ]);
});

test.each([".", ".."])(
  "no forge is asked about the thread %s, whose name would lead to another path of its API",
  async (thread) => {
    const before = stage.forge.requests.length;
    const asked = { number: 1, thread };
    for (const [what, body] of [
      ["resolve", asked],
      ["answer", { ...asked, text: "x" }],
    ] as const) {
      const answer = await stage.ask(`${path}/${what}`, post(body));
      expect([what, refusal(answer).reason]).toEqual([what, "invalid_request"]);
    }
    expect(stage.forge.requests.length).toBe(before);
  },
);

test.each(["team/..", "team/.", "../app", "team/../../user"])(
  "no forge is asked about the repository %s, whose name would lead to another path of its API",
  async (repository) => {
    const at = `/api/forges/${encodeURIComponent(new URL(stage.running.origin).host)}`;
    const before = stage.forge.requests.length;
    for (const what of ["issues?", "branches?", "issue?number=1&"]) {
      const answer = await stage.ask(`${at}/${what}repository=${encodeURIComponent(repository)}`);
      expect([what, refusal(answer).reason]).toEqual([what, "invalid_request"]);
    }
    expect(stage.forge.requests.length).toBe(before);
  },
);

test.each([
  ["in a message", 403, `{"message":"no: ${forgeToken}"}`],
  ["escaped in a message", 403, `{"message":"no: \\u0070${forgeToken.slice(1)}"}`],
  ["as a field's name", 422, `{"errors":{"${forgeToken}":["no"]}}`],
  ["in GraphQL's message", 200, `{"errors":[{"message":"no: \\u0070${forgeToken.slice(1)}"}]}`],
])("the token is in no answer: a forge that repeats it %s", async (_, status, body) => {
  stage.forge.quirks.before = ({ path: to }) =>
    status === 200 && to !== "/api/graphql" ? undefined : { status, body };
  const answer = await stage.ask(`${path}/resolve`, post({ number: 1, thread: "t" }));
  expect(refusal(answer).words).toContain("no");
  expect(answer.text).not.toContain(forgeToken);
});

test("device sign-in: pending, granted, denied", { tags: "long" }, async () => {
  const at = `/api/forges/${encodeURIComponent(new URL(stage.running.origin).host)}`;
  const { json } = await ask(stage.edge, "/api/forges");
  expect(json).toMatchObject({
    forges: expect.arrayContaining([
      { host: new URL(stage.running.origin).host, kind: "github", device: true, signedIn: false },
      { host: "github.com", kind: "github", device: false, signedIn: false },
    ]),
  });
  const code = await stage.ask(`${at}/device`, { method: "POST" }, "");
  expect(code.json).toEqual({
    deviceCode: "device-1",
    userCode: "WDJB-MJHT",
    url: `${stage.running.origin}/login/device`,
    interval: 5,
    expiresIn: 899,
  });
  const poll = () => stage.ask(`${at}/device-token`, post({ deviceCode: "device-1" }), "");
  expect((await poll()).json).toEqual({ token: null, interval: 5 });
  stage.forge.device = "granted";
  expect((await poll()).json).toMatchObject({ token: forgeToken });
  stage.forge.device = "denied";
  expect(refusal(await poll()).words).toContain("refused there");
});
