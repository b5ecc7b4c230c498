// A fake E2B: its REST API, its proxy and envd's wire format on one local port. Each sandbox runs real
// processes. Each quirk is a switch in e2b-sandbox.ts. Written from spec/openapi.yml and spec/envd of
// e2b-dev/E2B and the answers in its issues.
import { randomBytes } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import * as z from "zod/mini";
import { answerAsEnvd, refuse } from "./e2b-envd.ts";
import { described, type E2bEntry, type E2bQuirks, started, usualQuirks } from "./e2b-sandbox.ts";
import { PlayedGuest } from "./played-guest.ts";

const NewSandbox = z.object({
  templateID: z.string(),
  timeout: z.number(),
  autoPause: z.literal(true),
  autoResume: z.object({ enabled: z.literal(true) }),
  secure: z.literal(true),
  network: z.object({ allowPublicTraffic: z.literal(false) }),
  metadata: z.record(z.string(), z.string()),
});

export const e2bKey = "e2b_0123456789abcdef0123456789abcdef01234567";
const serverFile = new URL("../../../dist/sandbox.mjs", import.meta.url);
/** Time advances in these steps. */
const stepMs = 30_000;
/** The time of a sandbox that a request woke. */
const trafficSeconds = 300;

export class E2bHost {
  readonly quirks: E2bQuirks;
  readonly sandboxes = new Map<string, E2bEntry>();
  /** Method and path of every request to the API. */
  readonly asked: string[] = [];
  /** Sandboxes that E2B paused because their time was over. */
  readonly ended: string[] = [];
  /** The milliseconds for which sandboxes ran, without their current runs. */
  billedMs = 0;
  /** The milliseconds by which `advance` has moved the clock. */
  passedMs = 0;
  /** Called before an answer of the API is sent; `true` = the connection is cut instead. */
  loses: (call: string) => boolean = () => false;
  #server: Server;
  #createdAt = 0;
  readonly #streams = new Map<string, Set<Socket>>();

  readonly #movesClock: boolean;

  private constructor(quirks: Partial<E2bQuirks>, movesClock: boolean) {
    this.quirks = { ...usualQuirks, ...quirks };
    this.#movesClock = movesClock;
    this.#server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
      this.#answer(incoming, response).catch((error: unknown) => refuse(response, 500, String(error)));
    });
  }

  /** `movesClock`: `advance` is going to be used. */
  static async start(quirks: Partial<E2bQuirks> = {}, movesClock = false): Promise<E2bHost> {
    const host = new E2bHost(quirks, movesClock);
    await new Promise<void>((done) => host.#server.listen(0, "127.0.0.1", done));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings with which an edge uses this host. */
  get env(): Record<string, string> {
    return { E2B_API_KEY: e2bKey, E2B_API_URL: this.url, E2B_SANDBOX_URL: this.url };
  }

  entry(id: string): E2bEntry {
    const entry = this.sandboxes.get(id);
    if (!entry) throw new Error(`no sandbox ${id}`);
    return entry;
  }

  now(): number {
    return Date.now() + this.passedMs;
  }

  /** Lets time pass, also for guests. E2B pauses those whose time ends meanwhile, at that time. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.passedMs += Math.min(stepMs, left);
      for (const [id, entry] of this.sandboxes) if (entry.state === "running") await this.#pass(id, entry);
    }
  }

  async #pass(id: string, entry: E2bEntry): Promise<void> {
    if (entry.endAt > this.now()) return entry.guest.setAhead(this.#ahead, true);
    this.ended.push(id);
    await this.pause(id, entry.endAt);
  }

  get #ahead(): number {
    return Math.floor(this.passedMs / 1_000);
  }

  /** Pauses a sandbox, as when its time is over. */
  async pause(id: string, at = this.now()): Promise<void> {
    const entry = this.entry(id);
    await entry.guest.pause();
    entry.state = "paused";
    entry.endAt = at;
    this.billedMs += at - entry.startedAt;
    for (const socket of this.#streams.get(id) ?? []) socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    for (const { guest } of this.sandboxes.values()) await guest.end();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { "e2b-sandbox-id": id, "e2b-sandbox-port": port } = incoming.headers;
    if (typeof id === "string") return this.#traffic(id, Number(port), incoming, response);
    const { pathname, searchParams } = new URL(incoming.url ?? "/", this.url);
    const call = `${incoming.method} ${pathname}`;
    this.asked.push(call);
    const text = await textOf(incoming);
    if (incoming.headers["x-api-key"] !== e2bKey) return refuse(response, 401, "Invalid API key");
    const [, version, of, action = ""] =
      /^\/(v2\/)?sandboxes(?:\/([^/]+))?(?:\/(\w+))?$/.exec(pathname) ?? [];
    const answer = await this.#act(incoming.method ?? "", version, of, action, text, searchParams);
    if (this.loses(call)) return void incoming.socket.destroy();
    if (answer.status >= 400) return refuse(response, answer.status, String(answer.body));
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  }

  async #act(
    method: string,
    version: string | undefined,
    id: string | undefined,
    action: string,
    text: string,
    query: URLSearchParams,
  ): Promise<{ status: number; body?: unknown }> {
    if (id === undefined) {
      if (method === "POST" && !version) return this.#create(text);
      if (method === "GET" && version) return { status: 200, body: this.#list(query) };
      return { status: 404, body: "no such route" };
    }
    const entry = this.sandboxes.get(id);
    if (!entry) return { status: 404, body: `Sandbox "${id}" not found` };
    if (method === "GET") return { status: 200, body: described(id, entry) };
    if (method === "DELETE") {
      this.sandboxes.delete(id);
      await entry.guest.end();
      return { status: 204 };
    }
    if (action === "pause") {
      if (entry.state === "paused") return { status: 409, body: `Sandbox "${id}" is already paused` };
      await this.pause(id);
      return { status: 204 };
    }
    if (action !== "connect") return { status: 404, body: "no such route" };
    const { data } = z.safeParse(z.object({ timeout: z.number() }), text && JSON.parse(text));
    if (!data) return { status: 400, body: "value is required but missing" };
    if (data.timeout > this.quirks.longestRun)
      return { status: 400, body: "Timeout cannot be greater than 1 hours" };
    const resumes = entry.state === "paused";
    if (resumes) await this.#resume(entry);
    this.#extend(entry, resumes ? 0 : entry.endAt, data.timeout);
    return { status: resumes ? 201 : 200, body: started(id, entry) };
  }

  async #create(text: string): Promise<{ status: number; body: unknown }> {
    const wanted = z.safeParse(NewSandbox, text && JSON.parse(text));
    if (!wanted.success) return { status: 400, body: wanted.error.message };
    const now = this.now();
    if (this.quirks.oneCreateASecond && now - this.#createdAt < 1_000)
      return { status: 429, body: "you have reached the maximum number of sandbox creations a second" };
    this.#createdAt = now;
    const id = `i${randomBytes(10).toString("hex")}`;
    const entry: E2bEntry = {
      guest: await PlayedGuest.make(id),
      state: "running",
      startedAt: now,
      endAt: now + wanted.data.timeout * 1_000,
      metadata: wanted.data.metadata,
      envdToken: randomBytes(16).toString("hex"),
      trafficToken: randomBytes(16).toString("hex"),
      notReady: this.quirks.notReadyFor,
      unlisted: this.quirks.listedAfter,
    };
    if (this.#movesClock) await entry.guest.withoutClock();
    if (this.quirks.hasServer) await entry.guest.put(".handrail/sandbox.mjs", await readFile(serverFile));
    if (this.quirks.greets) {
      await appendFile(join(entry.guest.home, ".bash_profile"), "echo Welcome\n");
      await appendFile(join(entry.guest.home, ".bash_logout"), "echo Bye\n");
    }
    this.sandboxes.set(id, entry);
    return { status: 201, body: started(id, entry) };
  }

  #list(query: URLSearchParams): unknown[] {
    const wanted = [...new URLSearchParams(query.get("metadata") ?? "")];
    return [...this.sandboxes].flatMap(([id, entry]) => {
      entry.unlisted -= 1;
      const fits = wanted.every(([name, value]) => entry.metadata[name] === value);
      return fits && entry.unlisted < 0 ? [described(id, entry)] : [];
    });
  }

  #extend(entry: E2bEntry, before: number, seconds: number): void {
    const longest = entry.startedAt + this.quirks.longestRun * 1_000;
    entry.endAt = Math.min(longest, Math.max(before, this.now() + seconds * 1_000));
  }

  async #resume(entry: E2bEntry): Promise<void> {
    await entry.guest.resume(this.quirks.losesLaterWrites);
    await entry.guest.setAhead(this.#ahead, false);
    if (this.quirks.forgetsMemory) await entry.guest.reboot();
    entry.state = "running";
    entry.startedAt = this.now();
    entry.notReady = this.quirks.notReadyFor;
    if (this.quirks.newTokens) entry.trafficToken = randomBytes(16).toString("hex");
  }

  async #traffic(
    id: string,
    port: number,
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const entry = this.sandboxes.get(id);
    const lost = (message: string, code: number) => {
      response.writeHead(code, { "content-type": "application/json" });
      response.end(JSON.stringify({ sandboxId: id, message, code, ...(code === 502 ? { port } : {}) }));
    };
    if (!entry) return lost("The sandbox was not found", 502);
    const isEnvd = port === 49983;
    const hasToken = incoming.headers["e2b-traffic-access-token"] === entry.trafficToken;
    if (!isEnvd && this.quirks.asksForToken && !hasToken)
      return lost("Sandbox is secured with traffic access token. Token header is missing or wrong", 403);
    if (entry.state === "paused") {
      if (this.quirks.deafWhilePaused || isEnvd) return lost("The sandbox was not found", 502);
      await this.#resume(entry);
      this.#extend(entry, 0, trafficSeconds);
    }
    if (isEnvd) return answerAsEnvd(entry, incoming, response);
    entry.notReady -= 1;
    if (entry.notReady >= 0) return lost("The sandbox is running but port is not open", 502);
    this.#forward(id, entry, incoming, response, lost);
  }

  #forward(
    id: string,
    { guest }: E2bEntry,
    incoming: IncomingMessage,
    response: ServerResponse,
    lost: (message: string, code: number) => void,
  ): void {
    const { method, url: path, headers } = incoming;
    const streams = this.#streams.get(id) ?? new Set();
    this.#streams.set(id, streams.add(incoming.socket));
    const outgoing = request(
      { host: "127.0.0.1", port: guest.port, method, path, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on("error", () => {
      if (response.headersSent) response.destroy();
      else lost("The sandbox is running but port is not open", 502);
    });
    response.on("close", () => {
      streams.delete(incoming.socket);
      outgoing.destroy();
    });
    incoming.pipe(outgoing);
  }
}
