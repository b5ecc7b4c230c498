// The parts of the platform that a guest's Durable Object uses: `ctx.container`, its storage, R2. Written
// from https://developers.cloudflare.com/containers/api/durable-object-container/ and workerd's
// src/workerd/api/container.h.

export interface ExecProcess {
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly exitCode: Promise<number>;
}

export interface ContainerSnapshot {
  id: string;
  size: number;
}

export interface GuestContainer {
  /** Already true before the container is ready for requests. */
  readonly running: boolean;
  /** Named images with their digests, if the class has the scheduling policy `durable_object`. */
  readonly images?: Readonly<Record<string, string>> | undefined;
  /** Returns before the container is ready. `image` and `containerSnapshot` exclude each other. */
  start(options: {
    entrypoint: string[];
    env: Record<string, string>;
    enableInternet: boolean;
    image?: string;
    instance?: string;
    containerSnapshot?: { id: string };
  }): void;
  /** Throws if the container is not running. */
  exec(
    command: string[],
    options?: { stdin?: ReadableStream; stderr?: "pipe" | "ignore" },
  ): Promise<ExecProcess>;
  getTcpPort(port: number): { fetch: typeof fetch };
  /** The platform forgets this when the object restarts. */
  setInactivityTimeout(ms: number): Promise<void>;
  /** Rejects under the scheduling policy `default`. */
  snapshotContainer(options: { name?: string }): Promise<ContainerSnapshot>;
  destroy(reason?: string): Promise<void>;
}

/** The container as the platform provides it. */
export interface PlatformContainer extends GuestContainer {
  /** Resolves when the container ends. Rejects unless it exited with 0 or was destroyed without a reason. */
  monitor(): Promise<void>;
}

/**
 * The parts of R2 that archives need: https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
export interface Bucket {
  put(key: string, body: ReadableStream): Promise<unknown>;
  get(key: string): Promise<{ body: ReadableStream } | null>;
  delete(key: string): Promise<void>;
}

export interface GuestStorage {
  get<T>(key: string): Promise<T | undefined>;
  put(key: string, value: unknown): Promise<void>;
  list<T>(options: { prefix: string }): Promise<Map<string, T>>;
  delete(key: string): Promise<unknown>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
  deleteAll(): Promise<void>;
}
