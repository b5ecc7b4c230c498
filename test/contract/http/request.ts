// Sends one request of the HTTP suite to the target as its paired client, and reads the answer to the end.
import type { Target } from "../../harness/sse.ts";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

export function ask(target: Target, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (!headers.has("authorization")) headers.set("authorization", `Bearer ${target.token}`);
  return askAsStranger(target, path, { ...init, headers });
}

/**
 * Like `ask`, without a token. Each request has its own connection. Servers close idle connections after a
 * few seconds, on a loaded machine possibly while the next request is being written, and fetch does not
 * repeat that request.
 */
export async function askAsStranger({ url }: Target, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set("connection", "close");
  const response = await fetch(`${url}${path}`, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

export function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
