// The project that a sandbox without a source gets: small, without dependencies, and with one failing test.

const readme = `# gateway

A small API gateway: it lets requests through to the services behind it.

    npm start     listens on port 3000
    npm test      runs the tests

Requests carry a token: \`Authorization: Bearer TOKEN\`.

## Limits

| what | limit |
|---|---|
| one IP address | 300 requests a minute |

A request over a limit is answered with 429.
`;

const packageJson = `{
  "name": "gateway",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "start": "node src/server.js",
    "test": "node --test"
  }
}
`;

const server = `import { createServer } from "node:http";
import { createGateway } from "./gateway.js";

const port = Number(process.env.PORT ?? 3000);
const handle = createGateway();

createServer((request, response) => {
  const answer = handle({
    path: request.url,
    ip: request.socket.remoteAddress,
    headers: request.headers,
  });
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}).listen(port, () => console.log("gateway on port " + port));
`;

const gateway = `import { ok, tooManyRequests, unauthorized } from "./answers.js";
import { fixedWindow } from "./limiter.js";

const minuteMs = 60_000;
const perIpLimit = 300;

const namesByToken = new Map([
  ["token-alice", "alice"],
  ["token-bob", "bob"],
]);

/** Returns a function that answers one request: {path, ip, headers} -> {status, headers, body}. */
export function createGateway({ now = Date.now } = {}) {
  const perIp = fixedWindow({ limit: perIpLimit, windowMs: minuteMs, now });

  return function handle(request) {
    const address = perIp.take(request.ip);
    if (!address.ok) return tooManyRequests();

    const token = verify(request.headers);
    if (!token) return unauthorized();

    return ok({ path: request.path, name: namesByToken.get(token) });
  };
}

/** The token of a request, or undefined when it has none that is known. */
function verify(headers) {
  const [scheme, token] = (headers.authorization ?? "").split(" ");
  return scheme === "Bearer" && namesByToken.has(token) ? token : undefined;
}
`;

const limiter = `/**
 * Counts the requests of each key in windows of windowMs.
 * take(key) says whether one more may pass, and if not, how long to wait.
 */
export function fixedWindow({ limit, windowMs, now }) {
  const windows = new Map();

  return {
    take(key) {
      const time = now();
      let window = windows.get(key);
      if (!window || time - window.start >= windowMs) {
        window = { start: time, count: 0 };
        windows.set(key, window);
      }
      if (window.count >= limit) {
        return { ok: false, retryAfterMs: window.start + windowMs - time };
      }
      window.count += 1;
      return { ok: true, retryAfterMs: 0 };
    },
  };
}
`;

const answers = `export function ok(value) {
  return answer(200, value);
}

export function unauthorized() {
  return answer(401, { error: "a valid token is required" });
}

export function tooManyRequests() {
  return answer(429, { error: "too many requests" });
}

function answer(status, value, headers = {}) {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  };
}
`;

const gatewayTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { createGateway } from "../src/gateway.js";

function requestFrom(ip, token = "token-alice") {
  return { path: "/orders", ip, headers: { authorization: "Bearer " + token } };
}

test("lets a request with a valid token through", () => {
  const handle = createGateway();
  const answer = handle(requestFrom("10.0.0.1"));
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.body), { path: "/orders", name: "alice" });
});

test("rejects an unknown token", () => {
  const handle = createGateway();
  assert.equal(handle(requestFrom("10.0.0.1", "nobody")).status, 401);
});

test("limits each address to 300 requests a minute", () => {
  const handle = createGateway({ now: () => 0 });
  for (let n = 0; n < 300; n += 1) handle({ path: "/", ip: "10.0.0.1", headers: {} });
  assert.equal(handle(requestFrom("10.0.0.1")).status, 429);
  assert.equal(handle(requestFrom("10.0.0.2")).status, 200);
});

test("limits each token to 100 requests a minute, whatever its addresses", () => {
  let time = 0;
  const handle = createGateway({ now: () => time });
  for (let n = 0; n < 100; n += 1) {
    assert.equal(handle(requestFrom("10.0.0." + (n % 5))).status, 200);
  }

  const refused = handle(requestFrom("10.0.0.9"));
  assert.equal(refused.status, 429);
  const waitSeconds = Number(refused.headers["retry-after"]);
  assert.ok(waitSeconds >= 1 && waitSeconds <= 60, "Retry-After is " + waitSeconds);
  assert.equal(handle(requestFrom("10.0.0.9", "token-bob")).status, 200);

  time += waitSeconds * 1000;
  assert.equal(handle(requestFrom("10.0.0.9")).status, 200);
});
`;

const limiterTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { fixedWindow } from "../src/limiter.js";

test("counts each key for itself", () => {
  const limiter = fixedWindow({ limit: 1, windowMs: 1000, now: () => 0 });
  assert.equal(limiter.take("a").ok, true);
  assert.equal(limiter.take("a").ok, false);
  assert.equal(limiter.take("b").ok, true);
});

test("says how long to wait", () => {
  let time = 0;
  const limiter = fixedWindow({ limit: 1, windowMs: 1000, now: () => time });
  limiter.take("a");
  time = 400;
  assert.deepEqual(limiter.take("a"), { ok: false, retryAfterMs: 600 });
  time = 1000;
  assert.equal(limiter.take("a").ok, true);
});
`;

/**
 * Content by path. It runs offline with only Node 20 and npm. `npm test` fails in one test of
 * `test/gateway.test.js`.
 */
export const sampleFiles: Record<string, string> = {
  "README.md": readme,
  "package.json": packageJson,
  "src/answers.js": answers,
  "src/gateway.js": gateway,
  "src/limiter.js": limiter,
  "src/server.js": server,
  "test/gateway.test.js": gatewayTest,
  "test/limiter.test.js": limiterTest,
};
