// Turns whose client disconnects, on a real workerd with the Durable Object and its alarms. Their runners may
// die at any time.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workerModules } from "../../scripts/launch/worker-modules.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";
import { SandboxAnswer } from "../../shared/api.ts";
import { JournalLine } from "../../shared/journal.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, type RequestBody, startModelServer } from "../fakes/model-server.ts";
import { type SandboxWire, startSandboxWire } from "../harness/sandbox-wire.ts";
import { RunningServer, token } from "../sandbox/running-server.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/**
 * The product's own worker and class. Each alarm first asks the test what will happen to it, and the stored
 * state can be read.
 */
const watchedWorker = `
import worker, { TurnRunner as Runner } from "./worker.mjs";
import { env } from "cloudflare:workers";
export class TurnRunner extends Runner {
  async alarm() {
    const turn = await this.ctx.storage.get("turn");
    const fate = await (await fetch(env.FATE + "/" + (turn?.turnId ?? ""))).text();
    if (fate === "throw") throw new Error("an alarm that fails");
    if (fate !== "") setTimeout(() => this.ctx.abort("killed"), Number(fate));
    return super.alarm();
  }
  async kept() {
    return { alarm: await this.ctx.storage.getAlarm(), keys: (await this.ctx.storage.list()).size };
  }
}
export default {
  async fetch(request, bindings, ctx) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/kept/")) return worker.fetch(request, bindings, ctx);
    return Response.json(await env.TURNS.getByName(decodeURIComponent(pathname.slice(6))).kept());
  },
};`;

/** Each turn appends a line in each of these rounds, and then ends according to its kind. */
export const rounds = 3;
const kinds = ["done", "asks", "permits"] as const;
export type Kind = (typeof kinds)[number];

export function kindOf(turn: number): Kind {
  return kinds[turn % kinds.length] ?? "done";
}

/** The turn with this number only reads, for this many rounds. */
export const longTurn = { turn: 9_000, rounds: 40 };

function reply(turn: number, results: number): ModelReply {
  if (turn === longTurn.turn && results < longTurn.rounds)
    return { calls: [{ name: "list_files", args: {} }] };
  if (results < rounds)
    return { calls: [{ name: "run_command", args: { command: `echo ${results} >> log-${turn}.txt` } }] };
  if (kindOf(turn) === "asks")
    return {
      calls: [
        {
          name: "ask_user",
          args: {
            summary: "One thing.",
            questions: [{ id: "q", label: "L", prompt: "P?", type: "free_text" }],
          },
        },
      ],
    };
  if (kindOf(turn) === "permits")
    return { calls: [{ name: "run_command", args: { command: "git push --force origin main" } }] };
  return { text: "Done." };
}

function turnIn(body: RequestBody): number {
  return Number(/TURN (\d+)\./.exec(JSON.stringify(body.messages))?.[1] ?? -1);
}

export class LeftStage {
  readonly model: ModelServer;
  readonly wire: SandboxWire;
  /** How often the model was called, by turn. */
  readonly samplings = new Map<number, number>();
  /** How often the runner of a turn was killed, by turn. */
  readonly deaths = new Map<number, number>();
  /** Alarms so far. */
  alarms = 0;
  /**
   * The fate of an alarm of a turn: "" = nothing happens, "throw" = it throws, a number = its object dies
   * after these milliseconds.
   */
  fate: (turn: number) => string = () => "";
  /** Called before each answer of the model. */
  onSampling: (turn: number) => void = () => undefined;
  #server: RunningServer;
  #worker: Miniflare | undefined;
  #url = "";
  #bound = true;
  readonly #folder: string;
  readonly #oracle = createServer((request, response) => {
    this.alarms += 1;
    const turn = Number(request.url?.split("-").at(-1));
    const fate = this.fate(turn);
    if (fate !== "" && fate !== "throw") this.deaths.set(turn, (this.deaths.get(turn) ?? 0) + 1);
    response.end(fate);
  });

  private constructor(model: ModelServer, server: RunningServer, wire: SandboxWire, folder: string) {
    this.model = model;
    this.#server = server;
    this.wire = wire;
    this.#folder = folder;
  }

  /** `bound`: whether the worker has the binding TURNS. */
  static async open({ bound = true } = {}): Promise<LeftStage> {
    let stage: LeftStage | undefined;
    const model = await startModelServer((body) => {
      const turn = turnIn(body);
      stage?.samplings.set(turn, (stage.samplings.get(turn) ?? 0) + 1);
      stage?.onSampling(turn);
      return reply(turn, body.messages.filter(({ role }) => role === "tool").length);
    });
    const server = await RunningServer.start();
    const folder = await mkdtemp(join(tmpdir(), "handrail-left-"));
    stage = new LeftStage(model, server, await startSandboxWire(server.url), folder);
    stage.#bound = bound;
    const opened = stage;
    await new Promise<void>((resolve) => opened.#oracle.listen(0, "127.0.0.1", resolve));
    await opened.startRuntime();
    return opened;
  }

  async startRuntime(): Promise<void> {
    const { port } = this.#oracle.address() as AddressInfo;
    this.#worker = new Miniflare({
      modules: [
        { type: "ESModule", path: join(dist, "watched.mjs"), contents: watchedWorker },
        ...workerModules(dist),
      ],
      modulesRoot: dist,
      compatibilityDate: "2026-04-01",
      compatibilityFlags: ["enable_request_signal"],
      ...(this.#bound ? { durableObjects: { TURNS: { className: "TurnRunner", useSQLite: true } } } : {}),
      durableObjectsPersist: this.#folder,
      bindings: {
        HANDRAIL_TOKEN: token,
        HANDRAIL_RATE_LIMIT: "0",
        SANDBOX_URL: this.wire.url,
        SANDBOX_TOKEN: token,
        OPENAI_BASE_URL: this.model.url,
        OPENAI_API_KEY: "k",
        HANDRAIL_MODEL: "m",
        FATE: `http://127.0.0.1:${port}`,
      },
      cf: false,
    });
    this.#url = String(await this.#worker.ready).replace(/\/$/, "");
  }

  /** Ends the whole runtime with everything that it runs. Its stored state is there at the next start. */
  async killRuntime(): Promise<void> {
    await this.#worker?.dispose();
    await this.startRuntime();
  }

  async killSandbox(): Promise<void> {
    await this.#server.kill();
    this.#server = await RunningServer.start({ state: this.#server.state });
    this.wire.leadTo(this.#server.url);
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return fetch(`${this.#url}${path}`, { ...init, headers });
  }

  async sandbox(): Promise<string> {
    const body = JSON.stringify({ source: { sample: true } });
    return SandboxAnswer.parse(await (await this.ask("/api/sandboxes", { method: "POST", body })).json())
      .sandboxId;
  }

  /**
   * Posts a turn and disconnects after its first event. If a death hits the request, it is repeated as a
   * phone would, unless the server says that the turn already continues.
   */
  async postAndLeave(sandboxId: string, turn: number, options = {}): Promise<void> {
    const input = { type: "message", text: `TURN ${turn}.` };
    const body = JSON.stringify({
      protocol: 1,
      turnId: `t-${turn}`,
      sandboxId,
      mode: "normal",
      input,
      options,
    });
    for (;;) {
      const gone = new AbortController();
      try {
        const answer = await this.ask("/api/turn", { method: "POST", body, signal: gone.signal });
        if (answer.status === 409) return await answer.text().then(() => undefined);
        const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
        for (let text = ""; answer.ok && reader; ) {
          const { done, value } = await reader.read();
          text += value ?? "";
          if (text.includes("\nid: ") || text.startsWith("id: ")) return gone.abort();
          if (done) break;
        }
      } catch {
        // The loop posts the turn again.
      }
    }
  }

  /** The phone comes back and continues the turn by its id, or follows the runner that has the turn. */
  async comeBack(sandboxId: string, turn: number): Promise<void> {
    const body = JSON.stringify({ attempt: 2 });
    const path = `/api/turns/${sandboxId}/t-${turn}/resume`;
    const answer = await this.ask(path, { method: "POST", body }).catch(() => undefined);
    await answer?.text().catch(() => undefined);
  }

  async stop(sandboxId: string, turn: number): Promise<void> {
    const path = `/api/turns/${sandboxId}/t-${turn}/stop`;
    await this.ask(path, { method: "POST" }).catch(() => undefined);
  }

  /** All events of a turn, once it has ended. */
  async ended(sandboxId: string, turn: number): Promise<{ event: string; data: unknown }[]> {
    for (;;) {
      const events = await this.events(sandboxId, turn);
      const last = events.at(-1)?.event;
      if (last === "turn.done" || last === "turn.failed") return events;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Names and data of the journaled events; empty if the server does not answer. */
  async events(sandboxId: string, turn: number): Promise<{ event: string; data: unknown }[]> {
    const at = `/sandboxes/${sandboxId}/turns/t-${turn}?from=0&waitMs=0`;
    const answer = await this.#server.client.fetch(at).catch(() => undefined);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    return text.split("\n").flatMap((row) => {
      const line = row === "" ? undefined : JournalLine.parse(JSON.parse(row));
      return line?.type === "record" ? line.events : [];
    });
  }

  /** The alarm and the data that the turn's object has stored. */
  async kept(sandboxId: string, turn: number): Promise<unknown> {
    return (await this.ask(`/kept/${encodeURIComponent(`${sandboxId}/t-${turn}`)}`)).json();
  }

  /** The lines that the turn has appended. */
  async effects(sandboxId: string, turn: number): Promise<string> {
    const path = join(this.#server.state, "sandboxes", sandboxId, "workspace", `log-${turn}.txt`);
    return readFile(path, "utf8").catch(() => "");
  }

  async close(): Promise<void> {
    await this.#worker?.dispose();
    this.#oracle.closeAllConnections();
    this.#oracle.close();
    this.wire.close();
    await this.#server.stop();
    await this.model.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
