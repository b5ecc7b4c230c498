// The parts of E2B's REST API that an engine needs. Other hosts support it too: E2B's own SDK also reads
// E2B_API_URL, E2B_DOMAIN and E2B_SANDBOX_URL. Source: github.com/e2b-dev/E2B, spec/openapi.yml, read in
// November 2026.
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import type { EngineContext } from "../engine.ts";

/** The answer of `create` and `connect`. The two tokens may change with each start. */
const Started = z.object({
  sandboxID: z.string(),
  envdAccessToken: z.optional(z.nullable(z.string())),
  trafficAccessToken: z.optional(z.nullable(z.string())),
  domain: z.optional(z.nullable(z.string())),
});
export type Started = z.infer<typeof Started>;

/**
 * For a paused sandbox, `endAt` is the time of the pause (e2b-dev/infra,
 * packages/api/internal/handlers/sandbox_get.go).
 */
const Described = z.object({
  sandboxID: z.string(),
  state: z.string(),
  startedAt: z.string(),
  endAt: z.string(),
  metadata: z.optional(z.nullable(z.catchall(z.object({}), z.string()))),
});
export type Described = z.infer<typeof Described>;

const E2bProblem = z.object({ message: z.string() });

export interface NewSandbox {
  templateID: string;
  timeout: number;
  metadata: Record<string, string>;
}

const answerMs = 60_000;
/** The highest number of entries in a page of a list. */
const pageSize = 100;

export type E2bApi = ReturnType<typeof e2bApi>;

export function e2bApi({ env, fetch }: EngineContext) {
  const domain = env.E2B_DOMAIN || "e2b.app";
  const root = (env.E2B_API_URL || `https://api.${domain}`).replace(/\/+$/, "");
  const key = env.E2B_API_KEY;
  if (!key) throw new HandrailError("invalid_request", "E2B_API_KEY is not set; the engine e2b needs it.");

  /** undefined = 404. */
  async function request(method: string, path: string, body?: unknown): Promise<Response | undefined> {
    let response: Response;
    try {
      response = await fetch(`${root}${path}`, {
        method,
        headers: { "x-api-key": key ?? "", "content-type": "application/json" },
        signal: AbortSignal.timeout(answerMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw new HandrailError("sandbox_unreachable", "E2B does not answer. Try again later.", { cause });
    }
    if (response.ok) return response;
    if (response.status === 404) return undefined;
    throw refusal(response.status, await problemOf(response));
  }

  async function read<T extends z.core.$ZodType>(
    schema: T,
    answer: Promise<Response | undefined>,
  ): Promise<z.infer<T> | undefined> {
    const response = await answer;
    return response && z.parse(schema, await response.json());
  }

  const at = (id: string, what = "") => `/sandboxes/${encodeURIComponent(id)}${what}`;

  return {
    /** The origin and headers that lead to a port of a sandbox. */
    routeTo(started: Started, port: number): { url: string; headers: Record<string, string> } {
      const { sandboxID: id, trafficAccessToken: token } = started;
      return {
        url: env.E2B_SANDBOX_URL || `https://${port}-${id}.${started.domain || domain}`,
        headers: {
          "e2b-sandbox-id": id,
          "e2b-sandbox-port": String(port),
          ...(token ? { "e2b-traffic-access-token": token } : {}),
        },
      };
    },
    async create(body: NewSandbox): Promise<Started> {
      const made = await read(
        Started,
        request("POST", "/sandboxes", {
          ...body,
          // By default, E2B kills a sandbox at its timeout.
          autoPause: true,
          autoResume: { enabled: true },
          secure: true,
          network: { allowPublicTraffic: false },
        }),
      );
      if (made) return made;
      throw new HandrailError(
        "invalid_request",
        `E2B knows no template ${body.templateID}; check HANDRAIL_E2B_TEMPLATE.`,
      );
    },
    /**
     * Resumes the sandbox if it is paused, and lets it run for at least `timeoutSeconds` from now. undefined
     * = it is gone.
     */
    connect: (id: string, timeoutSeconds: number) =>
      // Without a body the answer is 400.
      read(Started, request("POST", at(id, "/connect"), { timeout: timeoutSeconds })),
    get: (id: string) => read(Described, request("GET", at(id))),
    pause: async (id: string) => void (await request("POST", at(id, "/pause"), {})),
    remove: async (id: string) => void (await request("DELETE", at(id))),
    /**
     * Running and paused sandboxes that have all of `metadata`. A new one may be missing for some seconds.
     */
    async list(metadata: Record<string, string>): Promise<Described[]> {
      const found: Described[] = [];
      const query = new URLSearchParams({
        metadata: new URLSearchParams(metadata).toString(),
        state: "running,paused",
        limit: String(pageSize),
      });
      for (;;) {
        const response = await request("GET", `/v2/sandboxes?${query}`);
        if (!response) return found;
        found.push(...z.parse(z.array(Described), await response.json()));
        const next = response.headers.get("x-next-token");
        if (!next) return found;
        query.set("nextToken", next);
      }
    },
  };
}

async function problemOf(response: Response): Promise<string> {
  const { data } = z.safeParse(E2bProblem, await response.json().catch(() => undefined));
  return data?.message ?? `status ${response.status}`;
}

function refusal(status: number, problem: string): HandrailError {
  if (status === 401 || status === 403) {
    return new HandrailError("invalid_request", `E2B refused E2B_API_KEY: ${problem}`);
  }
  if (status === 429) return new HandrailError("rate_limited", `E2B accepts no more for now: ${problem}`);
  if (status === 400) return new HandrailError("invalid_request", `E2B refused the request: ${problem}`);
  const details = { status };
  return new HandrailError("sandbox_unreachable", `E2B failed: ${problem}`, { details });
}
