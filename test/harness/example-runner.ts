// Sends the requests of a page to the running product and reports where the answers differ.
import { parseTurnEvent, type TurnEvent } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { SseParser } from "../../shared/sse.ts";
import { difference, fill, type Names, sequenceDifference } from "./answer-pattern.ts";
import type { Exchange } from "./markdown-examples.ts";
import type { Target } from "./sse.ts";

/** A client's state of a conversation. The examples call it `<history>` and `<plan>`. */
interface Kept {
  messages: Message[];
  plan: Plan | null;
}

export class ExampleRunner {
  readonly #edge: Target;
  readonly #sandbox: Target;
  readonly #names: Names = new Map();
  /** By sandbox; each has one conversation. */
  readonly #kept = new Map<string, Kept>();

  /** `sandbox` answers `/v1`, `edge` everything else. */
  constructor(edge: Target, sandbox: Target) {
    this.#edge = edge;
    this.#sandbox = sandbox;
  }

  /** The first difference, or undefined. Throws if the request cannot be sent. */
  async run({ method, path, headers, body, answer }: Exchange): Promise<string | undefined> {
    const { url, token } = path.startsWith("/v1") ? this.#sandbox : this.#edge;
    const sent = body === undefined ? undefined : this.#fillBody(body);
    const response = await fetch(url + fill(path, this.#names), {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    if (response.status !== answer.status) return `status ${response.status}: ${text.slice(0, 500)}`;
    for (const [name, value] of Object.entries(answer.headers)) {
      const problem = difference(value, response.headers.get(name) ?? undefined, this.#names, name);
      if (problem !== undefined) return problem;
    }
    return this.#bodyDifference(answer.body, text, response.headers.get("content-type") ?? "", sent ?? "");
  }

  #bodyDifference(shown: string, text: string, type: string, sent: string): string | undefined {
    if (type.startsWith("text/event-stream")) {
      const events = readEvents(text);
      this.#keep(
        sent,
        events.map(({ parsed }) => parsed),
      );
      if (shown === "") return undefined;
      const came = events.map(({ raw }) => raw);
      return sequenceDifference(shownEvents(shown), came, this.#names, (event) => !hasKey(event, "id"));
    }
    if (shown === "") return undefined;
    if (type.includes("ndjson")) {
      const lines = text
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
      const wanted = shown.split("\n").map((line): unknown => (line === "…" ? line : JSON.parse(line)));
      return sequenceDifference(wanted, lines, this.#names, isChatter);
    }
    if (type.includes("json")) return difference(JSON.parse(shown), JSON.parse(text), this.#names);
    return difference(shown, text.trimEnd(), this.#names);
  }

  #fillBody(body: string): string {
    const { messages, plan } = this.#keptOf(body);
    const raw = body
      .replace('"<history>"', () => JSON.stringify(messages))
      .replace('"<plan>"', () => JSON.stringify(plan));
    return raw.replace(/"<[a-z][\w-]*>"/g, (name) => fill(name, this.#names));
  }

  #keptOf(body: string): Kept {
    const named = /"sandboxId":\s*"([^"]*)"/.exec(body)?.[1] ?? "";
    const id = fill(named, this.#names);
    const kept = this.#kept.get(id) ?? { messages: [], plan: null };
    this.#kept.set(id, kept);
    return kept;
  }

  #keep(sent: string, events: readonly TurnEvent[]): void {
    const kept = this.#keptOf(sent);
    for (const event of events) {
      if (event.event === "message" && !kept.messages.some(({ id }) => id === event.data.message.id))
        kept.messages.push(event.data.message);
      if (event.event === "plan") kept.plan = event.data.plan;
      if (event.event === "step" && kept.plan) {
        const { stepId, status, note, snapshot } = event.data;
        const change = {
          status,
          ...(note === undefined ? {} : { note }),
          ...(snapshot === undefined ? {} : { snapshot }),
        };
        kept.plan = {
          ...kept.plan,
          steps: kept.plan.steps.map((step) => (step.id === stepId ? { ...step, ...change } : step)),
        };
      }
    }
  }
}

function readEvents(text: string): { raw: Record<string, unknown>; parsed: TurnEvent }[] {
  return new SseParser().push(text).map(({ event, id, data }) => {
    const value: unknown = JSON.parse(data);
    const parsed = parseTurnEvent(event, value, id === undefined ? undefined : Number(id));
    if (!parsed) throw new Error(`an event that PROTOCOL.md does not name: ${event}`);
    return { raw: { event, ...(id === undefined ? {} : { id }), data: value }, parsed };
  });
}

function shownEvents(shown: string): unknown[] {
  return shown.split("\n\n").map((block) => {
    if (block === "…") return block;
    const [event] = new SseParser().push(`${block}\n\n`);
    if (!event) throw new Error(`no event: ${block}`);
    return {
      event: event.event,
      ...(event.id === undefined ? {} : { id: event.id }),
      data: JSON.parse(event.data),
    };
  });
}

/** Lines that the examples need not show. */
function isChatter(line: unknown): boolean {
  return hasKey(line, "type") && (line.type === "ping" || line.type === "output");
}

function hasKey<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === "object" && value !== null && key in value;
}
