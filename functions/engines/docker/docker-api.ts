// The parts of a Docker or Podman engine's API that guests need. Turns failures into messages.
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";

/** How long the engine may take to answer one request. A stop waits for running commands. */
const answerMs = 60_000;

const DockerProblem = z.object({ message: z.string() });
const PortBinding = z.object({ HostIp: z.optional(z.string()), HostPort: z.string() });

/** https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerInspect */
export const Inspected = z.object({
  Id: z.string(),
  Name: z.string(),
  /** The id of the container's image. */
  Image: z.optional(z.string()),
  State: z.object({
    Status: z.string(),
    Running: z.boolean(),
    Paused: z.optional(z.boolean()),
    ExitCode: z.optional(z.number()),
    Error: z.optional(z.string()),
  }),
  Config: z.object({ Labels: z.nullable(z.catchall(z.object({}), z.string())) }),
  /** The settings that the container was created with. */
  HostConfig: z.optional(z.object({ NetworkMode: z.optional(z.string()) })),
  NetworkSettings: z.object({
    Ports: z.optional(z.nullable(z.catchall(z.object({}), z.nullable(z.array(PortBinding))))),
  }),
});
export type Inspected = z.infer<typeof Inspected>;

export const ListedContainers = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()),
    State: z.string(),
    /** Seconds since the epoch. */
    Created: z.number(),
    Labels: z.nullable(z.catchall(z.object({}), z.string())),
  }),
);

export const Volume = z.object({
  Name: z.string(),
  Labels: z.optional(z.nullable(z.catchall(z.object({}), z.string()))),
});
export type Volume = z.infer<typeof Volume>;
export const Volumes = z.object({ Volumes: z.nullable(z.array(Volume)) });

export interface DockerApi {
  /** The parsed answer; undefined if the status is one of `absent`. Throws HandrailError. */
  ask<T extends z.core.$ZodType>(schema: T, path: string, init?: DockerInit): Promise<z.infer<T> | undefined>;
  /** The status of the answer; the body is ignored. Throws HandrailError. */
  tell(method: string, path: string, init?: DockerInit): Promise<number>;
  /** The whole answer as text. Throws HandrailError. */
  text(path: string, init?: DockerInit): Promise<string>;
}

interface DockerInit {
  method?: string;
  body?: object;
  /** Statuses besides 2xx that are not failures here. */
  absent?: readonly number[];
  /** How long the request may take instead of a minute. */
  patienceMs?: number;
  signal?: AbortSignal | undefined;
}

/** Paths contain no API version, so each engine uses its newest. All versions have the calls used here. */
export function dockerApi(fetch: typeof globalThis.fetch): DockerApi {
  async function send(
    method: string,
    path: string,
    { body, absent = [], signal, patienceMs = answerMs }: DockerInit = {},
  ) {
    const patience = AbortSignal.timeout(patienceMs);
    const init: RequestInit = {
      method,
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    };
    const response = await fetch(`http://docker${path}`, init).catch(unanswered);
    if (response.ok || absent.includes(response.status)) return response;
    throw await failureOf(response);
  }
  return {
    async ask(schema, path, init = {}) {
      const response = await send(init.method ?? "GET", path, init);
      if (!response.ok) {
        await response.body?.cancel();
        return undefined;
      }
      return z.parse(schema, await response.json());
    },
    async tell(method, path, init) {
      const response = await send(method, path, init);
      await response.text().catch(unanswered);
      return response.status;
    },
    text: async (path, init = {}) => (await send(init.method ?? "GET", path, init)).text(),
  };
}

function unanswered(cause: unknown): never {
  throw new HandrailError(
    "sandbox_unreachable",
    "The container engine does not answer. Start it, or check HANDRAIL_DOCKER_HOST.",
    { cause },
  );
}

async function failureOf(response: Response): Promise<HandrailError> {
  const said = z.safeParse(DockerProblem, await response.json().catch(() => undefined)).data?.message ?? "";
  const words = `The container engine answered ${response.status}: ${said.slice(0, 300)}`;
  return new HandrailError(response.status < 500 ? "invalid_request" : "sandbox_unreachable", words);
}
