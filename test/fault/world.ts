// The world of one case between a phone and its edges: a network that fails, and a record of everything that
// was sent through it.
import { gunzipSync } from "node:zlib";
import type { EdgeHost } from "../../functions/host.ts";
import { random } from "../fakes/model-stream.ts";
import { type EdgeLife, later, type Sandbox, startEdge, suiteToken, unlessStalled } from "./edge-life.ts";
import { type Faults, firstOf, type Life, Lost } from "./faults.ts";
import { withPassage } from "./guarded-body.ts";
import { LeapingClock } from "./leaping-clock.ts";
import type { ScriptedMind } from "./mind.ts";
import { eventId, SeenEvents, turnOf } from "./seen-events.ts";

export interface WorldOptions {
  seed: number;
  host: EdgeHost;
  sandbox: Sandbox;
  mind: ScriptedMind;
  faults: Faults;
  /** Stops go to a second edge, which does not run the turn. */
  stopsElsewhere: boolean;
}

export class World {
  readonly faults: Faults;
  readonly clock = new LeapingClock();
  readonly #options: WorldOptions;
  readonly #next: () => number;
  /** The durable events as they left an edge. */
  readonly seen = new SeenEvents();
  readonly #edges = new Map<"first" | "second", EdgeLife>();
  /** Requests that the network still holds. */
  readonly stray: Promise<unknown>[] = [];

  constructor(options: WorldOptions) {
    this.#options = options;
    this.faults = options.faults;
    this.#next = random(options.seed);
    this.faults.onRestart = options.sandbox.restart;
  }

  newId = (): string =>
    Array.from({ length: 12 }, () => "abcdefghijklmnopqrstuvwxyz"[Math.floor(this.#next() * 26)]).join("");

  get sandboxId(): string {
    return this.#options.sandbox.id;
  }

  /** The requests of the current edge. */
  get subrequests(): number {
    return this.#edges.get("first")?.subrequests() ?? 0;
  }

  /** The edge that gets this request: a new one if the last one died. */
  #edge(path: string): EdgeLife {
    const which = this.#options.stopsElsewhere && path.endsWith("/stop") ? "second" : "first";
    const running = this.#edges.get(which);
    if (running && !running.life.dead) return running;
    const { host, mind, sandbox } = this.#options;
    const { faults, clock, newId } = this;
    const stray = (work: Promise<unknown>) => this.#stray(work);
    const edge = startEdge({ faults, clock, newId, host, mind, stray, sandbox });
    this.#edges.set(which, edge);
    return edge;
  }

  /** The `fetch` with which the phone reaches its edges. */
  phoneFetch(phone: Life): typeof fetch {
    return async (input, init) => {
      const path = String(input);
      const name = `phone>edge ${path.replace(/\?.*/, "").split("/").at(-1)}`;
      const posted = await readBody(path, init);
      const turnId = turnOf(path, posted.text);
      const how = await phone.point(`${name} send`);
      const deliver = async (signal?: AbortSignal): Promise<[Response, Life]> => {
        const { life, app } = this.#edge(path.replace(/\?.*/, ""));
        await life.point(`${name} arrives`);
        const headers = new Headers(init?.headers);
        headers.set("authorization", `Bearer ${suiteToken}`);
        const { method = "GET" } = init ?? {};
        const request = new Request(new URL(path, "http://localhost"), {
          method,
          headers,
          body: posted.bytes,
          ...(signal ? { signal } : {}),
        });
        return [await life.guard(Promise.resolve(app.fetch(request))), life];
      };
      const readAway = async () => {
        const [response, life] = await deliver();
        await this.#watched(response, { life, name, turnId }).text();
      };
      if (how === "twice") this.#stray(readAway());
      if (how === "late") {
        this.#stray(later().then(readAway));
        throw new Lost(`${name} is late`);
      }
      const gone = firstOf([phone.signal, ...(init?.signal ? [init.signal] : [])]);
      const delivery = deliver(gone);
      // A client that hangs up before the answer gets an error immediately; the server finds out later.
      const hungUp = rejected(gone);
      hungUp.catch(() => delivery.then(([late]) => late.body?.cancel())).catch(() => undefined);
      const first = Promise.race([delivery, hungUp]);
      first.catch(() => undefined);
      const [response, life] = await phone.guard(first);
      await life.point(`${name} answered`);
      await phone.point(`${name} answer heard`);
      return this.#watched(response, {
        life,
        phone,
        name,
        turnId,
        ...(init?.signal ? { left: init.signal } : {}),
      });
    };
  }

  /**
   * A stream that breaks when its edge dies, that ends for the edge when its phone leaves, and that is
   * recorded.
   */
  #watched(
    response: Response,
    {
      life,
      phone,
      name,
      turnId,
      left,
    }: { life: Life; phone?: Life; name: string; turnId: string; left?: AbortSignal },
  ): Response {
    const broken = firstOf([life.signal, ...(phone ? [phone.signal] : []), ...(left ? [left] : [])]);
    return withPassage(response, {
      end: "\n\n",
      broken,
      waits: (reading) => this.faults.wait(reading, `events of ${name}`),
      pass: async (part) => {
        const id = eventId(part);
        if (id === undefined) return;
        const how = await life.point(`${name} event ${id}`);
        // A stray answer has no receiver, so its silence would last forever.
        if (how === "stall" && !phone) throw new Lost("a stray answer stalled");
        await unlessStalled(how, this.clock);
        this.seen.see(turnId, part);
        await phone?.point(`${name} event ${id} heard`);
      },
    });
  }

  /** The case is over: everything that still runs is aborted. */
  end(): void {
    for (const { life } of this.#edges.values()) life.die();
  }

  #stray(work: Promise<unknown>): void {
    this.stray.push(work.catch(() => undefined));
  }
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A request's body as sent, and decoded, because the phone compresses long ones. */
export async function readBody(
  path: string,
  init: RequestInit | undefined,
): Promise<{ bytes: Uint8Array<ArrayBuffer> | null; text: string }> {
  if (!init?.body) return { bytes: null, text: "" };
  const { body, headers, method = "POST" } = init;
  const request = new Request(new URL(path, "http://localhost"), {
    body,
    method,
    ...(headers ? { headers } : {}),
  });
  const bytes = new Uint8Array(await request.arrayBuffer());
  const text = request.headers.get("content-encoding") === "gzip" ? gunzipSync(bytes) : Buffer.from(bytes);
  return { bytes, text: text.toString("utf8") };
}
