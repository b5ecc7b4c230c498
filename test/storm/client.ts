// A client written from PROTOCOL 3.1 ("Attempts") alone: posts a turn, follows it, posts it again.
import { setTimeout as pass } from "node:timers/promises";
import { ErrorBody, type ErrorInfo } from "../../shared/errors.ts";
import { isDurable, type TurnEvent } from "../../shared/event.ts";
import type { TurnRequestInput } from "../../shared/turn.ts";
import { type EdgeName, stormToken } from "./town.ts";
import { wireEvents } from "./turn-stream.ts";

export interface ClientDeps {
  urls: Readonly<Record<EdgeName, string>>;
  /** Called with every received event block of any turn. */
  onBlock(turnId: string, text: string): void;
  /** Adds a line to the story of a failure. */
  note(line: string): void;
  /** The person's decision if server and client differ. The client has dropped nothing at that time. */
  onDifference(turnId: string): "server" | "client";
}

export type Outcome = { kind: "ended"; last: TurnEvent } | { kind: "refused"; error: ErrorInfo };

/** Delays between retries. They are short, because everything is on this machine. */
const backOffMs = [30, 80, 150, 300];
/** A stream has a comment every 10 s at least. */
const silenceMs = 12_000;
/**
 * After this many streams that break without an event, a follower posts the turn again, because a proxy could
 * break all of them.
 */
const maxTorn = 5;

export class Client {
  readonly name: string;
  edge: EdgeName;
  readonly #deps: ClientDeps;
  readonly #gone = new AbortController();
  /**
   * The client's open or waiting requests. They belong to several turns if it still finishes an earlier one.
   */
  readonly #open = new Map<AbortController, string>();
  /** true = when it comes back, it posts a higher attempt immediately; the others follow the turn first. */
  impatient = false;
  /** The stored events of each turn. */
  readonly stored = new Map<string, Map<number, TurnEvent>>();
  /** The hash of the newest stored event of each turn. */
  readonly #seen = new Map<string, string>();
  readonly #counts = new Map<string, "server" | "client">();
  readonly #attempts = new Map<string, number>();
  #away: Promise<unknown> | undefined;

  constructor(name: string, edge: EdgeName, deps: ClientDeps) {
    this.name = name;
    this.edge = edge;
    this.#deps = deps;
  }

  /** Drops what is open, as a reload or a lost network does, and comes back at `edge`. */
  reload(edge: EdgeName = this.edge): void {
    this.edge = edge;
    for (const request of this.#open.keys()) request.abort();
  }

  /** Drops what is open, and sends nothing until `back` resolves. */
  stayAway(back: Promise<unknown>): void {
    this.#away = back;
    this.reload();
  }

  /** The client never comes back. */
  leave(): void {
    this.#gone.abort();
    this.reload();
  }

  /** The requests that it is waiting for, in words. */
  get pending(): string[] {
    return [...this.#open.values()].map((what) => `${this.name} ${what}`);
  }

  attemptOf(turnId: string): number {
    return this.#attempts.get(turnId) ?? 0;
  }

  after(turnId: string): number {
    return Math.max(0, ...(this.stored.get(turnId)?.keys() ?? []));
  }

  /** Resolves with the turn's last event or a refusal; undefined = the client has left. */
  async bring(body: TurnRequestInput): Promise<Outcome | undefined> {
    const { turnId } = body;
    let step: "post" | "follow" = "post";
    let tries = 0;
    let torn = 0;
    while (!this.#gone.signal.aborted) {
      await this.#away;
      const request = new AbortController();
      const before = this.after(turnId);
      if (step === "post") this.#attempts.set(turnId, this.attemptOf(turnId) + 1);
      const answer = await this.#once(step, body, request);
      this.#deps.note(
        `${this.name} ${step} ${turnId}#${this.attemptOf(turnId)} at ${this.edge}: ${told(answer)}`,
      );
      if (typeof answer === "object" && "event" in answer) return { kind: "ended", last: answer };
      const grew = this.after(turnId) > before;
      tries = grew ? 0 : tries + 1;
      if (typeof answer === "object" && answer.code === "history_differs") {
        this.#decide(turnId, answer);
        step = "post";
      } else if (typeof answer === "object") {
        if (step === "follow") step = answer.code === "not_found" ? "post" : "follow";
        else if (answer.code === "stale_epoch" || answer.code === "turn_finished") step = "follow";
        else if (!answer.retryable) return { kind: "refused", error: answer };
      } else {
        torn = answer === "torn" && step === "follow" && !grew ? torn + 1 : 0;
        const over: boolean =
          answer === "interrupted" || (answer === "closed" && step === "follow") || torn >= maxTorn;
        step = over || (answer === "reloaded" && this.impatient) ? "post" : "follow";
        if (answer === "reloaded") continue;
      }
      await this.#pause(backOffMs[Math.min(tries, backOffMs.length - 1)] ?? 0);
    }
    return undefined;
  }

  /** One request to its end. Returns the turn's last event, an error answer, or how the stream ended. */
  async #once(
    step: "post" | "follow",
    body: TurnRequestInput,
    request: AbortController,
  ): Promise<TurnEvent | ErrorInfo | "closed" | "interrupted" | "torn" | "reloaded"> {
    // One controller for both reasons, because Node 20 may collect the signal of AbortSignal.any, and its
    // abort is then lost.
    const { signal } = request;
    const what = `${step} ${body.turnId}#${this.attemptOf(body.turnId)} at ${this.edge}`;
    this.#open.set(request, what);
    let silent = false;
    const fallSilent = () => {
      silent = true;
      request.abort();
    };
    const after = this.after(body.turnId);
    const seen = this.#seen.get(body.turnId);
    let timer = setTimeout(fallSilent, silenceMs);
    try {
      const response =
        step === "post"
          ? await this.post(
              { ...body, attempt: this.attemptOf(body.turnId), ...this.#held(body.turnId) },
              signal,
            )
          : await this.#ask(
              `/api/turns/${body.sandboxId}/${body.turnId}/events?after=${after}${seen ? `&seen=${seen}` : ""}`,
              { signal },
            );
      if (!response.ok || !response.body) return ErrorBody.parse(await response.json()).error;
      let interrupted = false;
      for await (const { event, text, seen } of wireEvents(response.body, signal)) {
        clearTimeout(timer);
        timer = setTimeout(fallSilent, silenceMs);
        this.#open.set(request, `${what}, heard ${event.event}`);
        this.#deps.onBlock(body.turnId, text);
        if (isDurable(event)) {
          const stored = this.stored.get(body.turnId) ?? new Map<number, TurnEvent>();
          this.stored.set(body.turnId, stored.set(event.id, event));
        }
        if (seen !== undefined) this.#seen.set(body.turnId, seen);
        if (event.event === "interrupted") {
          if (event.data.error.code === "history_differs") return event.data.error;
          interrupted = true;
        }
        if (event.event === "turn.done" || event.event === "turn.failed") return event;
      }
      return interrupted ? "interrupted" : "closed";
    } catch (error) {
      if (signal.aborted && !silent) return "reloaded";
      // A broken connection is a TypeError, an aborted one a DOMException. An answer that is not ours fails
      // the case.
      if (error instanceof TypeError || error instanceof DOMException) return "torn";
      throw error;
    } finally {
      clearTimeout(timer);
      this.#open.delete(request);
    }
  }

  /** The events that this client claims to have when it posts. */
  #held(turnId: string): Partial<TurnRequestInput> {
    const seen = this.#seen.get(turnId);
    const earlier = [...this.stored.keys()].filter((id) => id !== turnId).at(-1);
    const seenOfEarlier = earlier && this.#seen.get(earlier);
    const counts = this.#counts.get(turnId);
    return {
      ...{ client: this.name, after: this.after(turnId) },
      ...(seen ? { seen } : {}),
      ...(earlier && seenOfEarlier
        ? { stored: { turnId: earlier, after: this.after(earlier), seen: seenOfEarlier } }
        : {}),
      ...(counts ? { counts } : {}),
    };
  }

  /** Ends early if the client reloads or leaves. */
  async #pause(ms: number): Promise<void> {
    const waiting = new AbortController();
    this.#open.set(waiting, "its next try");
    await pass(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
    this.#open.delete(waiting);
  }

  #decide(turnId: string, { details }: ErrorInfo): void {
    const about = String(details?.turnId ?? turnId);
    const counts = this.#deps.onDifference(about);
    this.#counts.set(turnId, counts);
    if (counts === "client") return;
    this.stored.delete(about);
    this.#seen.delete(about);
  }

  /** Sends the body unchanged and ignores the answer. */
  post(body: TurnRequestInput, signal?: AbortSignal): Promise<Response> {
    return this.#ask("/api/turn", {
      method: "POST",
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  }

  stop(sandboxId: string, turnId: string, signal: AbortSignal): Promise<Response> {
    return this.#ask(`/api/turns/${sandboxId}/${turnId}/stop`, { method: "POST", signal });
  }

  #ask(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${stormToken}`, "content-type": "application/json" };
    return fetch(`${this.#deps.urls[this.edge]}${path}`, { ...init, headers });
  }
}

function told(answer: TurnEvent | ErrorInfo | string): string {
  if (typeof answer === "string") return answer;
  if ("event" in answer) return `${answer.event} ${JSON.stringify(answer.data).slice(0, 160)}`;
  return `${answer.code}: ${answer.message}`;
}
