// A client of /v1 for tests, written from PROTOCOL 4 alone. It returns everything that it receives.

import * as z from "zod/mini";
import { CallsLine } from "../../shared/calls-line.ts";
import { ErrorBody, type ErrorInfo } from "../../shared/errors.ts";
import { ClaimResponse, JournalLine } from "../../shared/journal.ts";
import { LineBuffer } from "../../shared/ndjson.ts";
import { type CallResult, type CallsRequestInput, type OpName, SandboxInfo } from "../../shared/sandbox.ts";

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

let keys = 0;

/** How a server behind a proxy is reached: headers for each request, and another `fetch`. */
interface Reached {
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
}

export class SandboxClient {
  readonly #root: string;
  readonly #reached: Required<Reached>;

  constructor(url: string, token: string, { headers, fetch: own = fetch }: Reached = {}) {
    this.#root = `${url}/v1`;
    this.#reached = { headers: headers ?? { authorization: `Bearer ${token}` }, fetch: own };
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const { headers: always, fetch: reach } = this.#reached;
    return reach(`${this.#root}${path}`, {
      ...init,
      headers: { ...always, ...Object.fromEntries(new Headers(init.headers)) },
    });
  }

  async get(path: string): Promise<Answer> {
    return answer(await this.fetch(path));
  }

  async post(path: string, body?: unknown): Promise<Answer> {
    return answer(
      await this.fetch(path, {
        method: "POST",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }

  async create(body: unknown = {}): Promise<SandboxInfo> {
    const made = await this.post("/sandboxes", body);
    if (made.status !== 201 && made.status !== 200) throw new Error(`create: ${JSON.stringify(made.body)}`);
    return z.parse(SandboxInfo, made.body);
  }

  /**
   * All lines of a batch; throws if the whole batch is refused. `onLine` gets each line as it arrives, and
   * the next line is read only when it returns, so that a test can open a gate at which the command waits.
   */
  async lines(
    id: string,
    body: CallsRequestInput,
    onLine: (line: CallsLine) => Promise<unknown> | undefined = () => undefined,
  ): Promise<CallsLine[]> {
    const response = await this.fetch(`/sandboxes/${id}/calls`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!response.ok || !response.body) throw new Error(`calls: ${await response.text()}`);
    const buffer = new LineBuffer();
    const lines: CallsLine[] = [];
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      for (const json of buffer.push(text)) {
        const line = z.parse(CallsLine, JSON.parse(json));
        lines.push(line);
        await onLine(line);
      }
    }
    return lines;
  }

  async results(id: string, body: CallsRequestInput): Promise<CallResult[]> {
    return (await this.lines(id, body)).flatMap((line) => (line.type === "result" ? [line] : []));
  }

  /** One call under a new key. */
  async call(
    id: string,
    op: OpName,
    args: Record<string, unknown>,
    access: "readonly" | "write" = "write",
  ): Promise<CallResult> {
    keys += 1;
    const [result] = await this.results(id, {
      access,
      calls: [{ key: `key-${process.pid}-${keys}`, op, args }],
    });
    if (!result) throw new Error("no result");
    return result;
  }

  /** The value of one call that must succeed. */
  async value<T extends z.core.$ZodType>(
    schema: T,
    id: string,
    op: OpName,
    args: Record<string, unknown>,
    access: "readonly" | "write" = "write",
  ): Promise<z.infer<T>> {
    const result = await this.call(id, op, args, access);
    if (!result.ok) throw new Error(`${op}: ${JSON.stringify(result.error)}`);
    return z.parse(schema, result.value);
  }

  /** The error of one call that must fail. */
  async failure(
    id: string,
    op: OpName,
    args: Record<string, unknown>,
    access: "readonly" | "write" = "write",
  ): Promise<ErrorInfo> {
    const result = await this.call(id, op, args, access);
    if (result.ok || !result.error) throw new Error(`${op} succeeded: ${JSON.stringify(result.value)}`);
    return result.error;
  }

  async claim(id: string, turnId: string, body: Record<string, unknown>): Promise<ClaimResponse> {
    const claimed = await this.post(`/sandboxes/${id}/turns/${turnId}/claim`, body);
    if (claimed.status !== 200) throw new Error(`claim: ${JSON.stringify(claimed.body)}`);
    return z.parse(ClaimResponse, claimed.body);
  }

  async journal(id: string, turnId: string, query = ""): Promise<JournalLine[]> {
    const response = await this.fetch(`/sandboxes/${id}/turns/${turnId}${query}`);
    if (!response.ok) throw new Error(`journal: ${await response.text()}`);
    return (await ndjson(response)).map((line) => z.parse(JournalLine, line));
  }
}

/** The code of an error answer. */
export function codeOf({ body }: Answer): string {
  return z.parse(ErrorBody, body).error.code;
}

export function detailsOf({ body }: Answer): Record<string, unknown> {
  return z.parse(ErrorBody, body).error.details ?? {};
}

async function answer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("application/json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

async function ndjson(response: Response): Promise<unknown[]> {
  const lines = new LineBuffer();
  return lines.push(await response.text()).map((line) => JSON.parse(line));
}
