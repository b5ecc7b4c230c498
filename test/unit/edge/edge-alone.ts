// The edge's app alone: its requests to the sandbox server, forges and MCP servers are recorded, and answered by the
// test.
import type { Hono } from "hono";
import * as z from "zod/mini";
import { createApp } from "../../../functions/app.ts";
import { depsFromEnv } from "../../../functions/env.ts";
import type { EnvVariables } from "../../../functions/model/read-providers.ts";
import { createSandboxClient } from "../../../functions/sandbox/client.ts";
import { ErrorBody } from "../../../shared/errors.ts";

const token = "t".repeat(32);

export interface Asked {
  method: string;
  /** Path and query at the sandbox server; the whole address elsewhere. */
  at: string;
  headers: Headers;
  body: string;
}

/** A text or a blob is sent as it is, another object as JSON. */
type Sent = object | string;

/** Answers one of the edge's requests; the default is an empty object. */
type Answer = (asked: Asked) => Response | Promise<Response> | undefined;

export interface EdgeAlone {
  app: Hono;
  asked: Asked[];
  /** Sends a request with the token to a route such as `POST /api/turn`. */
  send(route: string, body?: Sent, headers?: Record<string, string>): Promise<Response>;
  /** The code and the message of the refusal of such a request. */
  refusal(route: string, body?: Sent, headers?: Record<string, string>): Promise<string>;
}

export function edgeAlone(env: EnvVariables = {}, answer: Answer = () => undefined): EdgeAlone {
  const asked: Asked[] = [];
  const sandboxUrl = "http://sandbox.test";
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const one: Asked = {
      method: request.method,
      at: request.url.replace(`${sandboxUrl}/v1`, ""),
      headers: request.headers,
      body: await request.text(),
    };
    asked.push(one);
    return (await answer(one)) ?? Response.json({});
  };
  const host = { runtime: "node" as const, continuesUnattended: true, sharesTurns: true };
  const variables = {
    ...{ HANDRAIL_TOKEN: token, SANDBOX_URL: sandboxUrl, SANDBOX_TOKEN: "s".repeat(32) },
    ...{ OPENAI_BASE_URL: "http://model.test/v1", HANDRAIL_MODEL: "scripted", HANDRAIL_RATE_LIMIT: "0" },
    ...env,
  };
  const sandbox = createSandboxClient({ fetch, baseUrl: sandboxUrl, token: "s".repeat(32) });
  const deps = { ...depsFromEnv(variables, host), fetch, sandbox, log: () => undefined };
  const app = createApp(
    deps,
    async () => undefined,
    () => "127.0.0.1",
  );
  const send: EdgeAlone["send"] = async (route, body, headers = {}) => {
    const [method = "", path = ""] = route.split(" ");
    const text = typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
    const all = { authorization: `Bearer ${token}`, host: "127.0.0.1", ...headers };
    return app.request(`http://127.0.0.1${path}`, {
      method,
      headers: all,
      ...(body !== undefined && { body: text }),
    });
  };
  return {
    ...{ app, asked, send },
    async refusal(route, body, headers) {
      const { error } = z.parse(ErrorBody, await (await send(route, body, headers)).json());
      return `${error.code}: ${error.message}`;
    },
  };
}
