// One request of the HTTP suite: to the target, as its paired client, answer read whole.
import type { Target } from "../../harness/sse.ts";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed; undefined when it is not JSON. */
  json: unknown;
}

export async function ask({ url, token }: Target, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(`${url}${path}`, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

/** As `ask`, without a token. */
export async function askAsStranger({ url }: Target, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, init);
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
