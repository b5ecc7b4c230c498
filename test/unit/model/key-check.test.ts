// Keys are tried before a person has to wait for an answer, over real HTTP.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { keyProblem } from "../../../functions/model/key-check.ts";
import { providerAt } from "./complete-with.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A provider whose model list `answer` sends, and the requests that it received. */
async function provider(answer: (response: ServerResponse) => void) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return { ...providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`), asked };
}

function clock() {
  let nowMs = 0;
  return {
    deps: { fetch, elapsed: () => nowMs, memory: { keyChecks: new Map() } },
    pass: (ms: number) => (nowMs += ms),
  };
}

test.each([
  [401, "no", "does not accept the key in OPENAI_API_KEY (401). Change it on the server."],
  [
    400,
    "API key not valid. Please pass a valid API key.",
    "does not accept the key in OPENAI_API_KEY (400).",
  ],
  [400, "model is required", undefined],
  [403, "not in your country", undefined],
  [404, "no such route", undefined],
  [200, "{}", undefined],
  [500, "down", undefined],
])("%i %s", async (status, body, problem) => {
  const asked = await provider((response) => response.writeHead(status).end(body));
  const said = await keyProblem(clock().deps, asked);
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(problem);
  expect(asked.asked).toEqual(["/v1/models Bearer sk-test-secret-key"]);
});

test("an address where nobody answers is reported with the setting that holds it", async () => {
  const gone = providerAt("http://127.0.0.1:1/v1");
  expect(await keyProblem(clock().deps, gone)).toMatch(/could not be reached. Check OPENAI_BASE_URL/);
});

test("a good key is tested about every ten minutes, a bad one again soon", async () => {
  let status = 401;
  const asked = await provider((response) => response.writeHead(status).end());
  const { deps, pass } = clock();
  await Promise.all([keyProblem(deps, asked), keyProblem(deps, asked)]);
  expect(asked.asked).toHaveLength(1);
  pass(20_000);
  status = 200;
  expect(await keyProblem(deps, asked)).toBeUndefined();
  pass(500_000);
  await keyProblem(deps, asked);
  expect(asked.asked).toHaveLength(2);
  pass(200_000);
  await keyProblem(deps, asked);
  expect(asked.asked).toHaveLength(3);
});

test("over Messages, the key is tested as Anthropic expects it", async () => {
  const asked = await provider((response) => response.writeHead(401).end());
  const headers: unknown[] = [];
  const listening: typeof fetch = (url, init) => {
    headers.push(init?.headers);
    return fetch(url, init);
  };
  const claude = { ...asked, models: [{ id: "m1", contextWindow: 9_000, wire: "messages" as const }] };
  expect(await keyProblem({ ...clock().deps, fetch: listening }, claude)).toContain(
    "does not accept the key",
  );
  expect(headers).toEqual([{ "x-api-key": "sk-test-secret-key", "anthropic-version": "2023-06-01" }]);
});
