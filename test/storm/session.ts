// One session in the storm: a person who sends messages, answers questions and continues to the end, with
// clients that come and go. Records what it saw, for the judge.

import type { ErrorInfo } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { TurnRequestInput } from "../../shared/turn.ts";
import { SeenEvents } from "../fault/seen-events.ts";
import { Client, type Outcome } from "./client.ts";
import { effectOf, type Mind, makeScript, type Script } from "./script.ts";
import type { EdgeName, Town } from "./town.ts";
import { withoutHash } from "./turn-stream.ts";

type Input = TurnRequestInput["input"];

export interface SessionDeps {
  town: Town;
  mind: Mind;
  next(): number;
  /** Called when this session receives something. */
  pulse(): void;
  /** The number of clients besides the first one. */
  companions: number;
}

/** More turns than any path through a script takes. */
const maxTurns = 12;

export class Session {
  readonly name: string;
  readonly script: Script;
  readonly clients: Client[];
  readonly seen = new SeenEvents();
  readonly story: string[] = [];
  readonly errors: ErrorInfo[] = [];
  readonly problems: string[] = [];
  messages: Message[] = [];
  /** The running turn, as it was posted. */
  body: TurnRequestInput | undefined;
  endedAt: number | undefined;
  readonly turns: TurnRequestInput[] = [];
  /** Turns in which client and server had different histories, in words. */
  readonly differences: string[] = [];
  /** The person chose the server's history although the client had more. Lost calls may then run again. */
  gaveUp = false;
  /** A disk lost lines that nothing outside has seen. Neither side can know what ran, so it may run again. */
  lostUnseen = false;
  /** When each turn ended, on the clock of performance.now(). */
  readonly endedTurns = new Map<string, number>();
  #isToSayAgain = false;
  readonly #deps: SessionDeps;
  readonly #companionsWork: Promise<unknown>[] = [];

  constructor(name: string, deps: SessionDeps) {
    this.name = name;
    this.#deps = deps;
    this.script = makeScript(name, deps.next);
    deps.mind.learn(name, {
      script: this.script,
      ledger: this.ledger.shown,
      onRequest: (problem) => {
        deps.pulse();
        if (problem) this.problems.push(problem);
      },
    });
    this.clients = Array.from({ length: 1 + deps.companions }, (_, n) => {
      const edge: EdgeName = deps.next() < 0.5 ? "a" : "b";
      return new Client(`${name}-${n}`, edge, {
        urls: deps.town.urls,
        onBlock: (turnId, text) => {
          this.seen.see(turnId, withoutHash(text));
          deps.pulse();
        },
        note: (line) => this.story.push(line),
        onDifference: (turnId) => this.#decide(turnId),
      });
    });
  }

  get first(): Client {
    const [first] = this.clients;
    if (!first) throw new Error("a session has a client");
    return first;
  }

  get folder(): string {
    return `${this.#deps.town.root}/workspace/${this.name}`;
  }

  /**
   * Outside of the workspace, so that it survives the workspace. In a jail, commands can write nowhere else
   * than inside.
   */
  get ledger(): { shown: string; path: string[] } {
    if (this.#deps.town.settings.jail)
      return { shown: "ledger.log", path: ["workspace", this.name, "ledger.log"] };
    const path = ["ledger", `${this.name}.log`];
    return { shown: [this.#deps.town.root, ...path].join("/"), path };
  }

  /** How often an effect happened. */
  async count(effect: string): Promise<number> {
    const { town } = this.#deps;
    const texts = [
      await town.read(...this.ledger.path),
      await town.read("workspace", this.name, "notes.txt"),
      await town.read("workspace", this.name, `${effect}.txt`),
    ];
    return texts.flatMap((text) => text.split("\n")).filter((line) => line === effect).length;
  }

  /** Runs the session from the first message to the last. Resolves when it has ended. */
  async live(): Promise<void> {
    await this.#say({ type: "message", text: `storm session ${this.name}: work` });
    // A stop or a lost disk may end the turn early. The person then sends the message again.
    do await this.#say({ type: "message", text: `storm session ${this.name}: there` });
    while (this.#isToSayAgain);
    this.endedAt = performance.now();
    for (const client of this.clients) client.leave();
    await Promise.all(this.#companionsWork);
  }

  async #say(input: Input): Promise<void> {
    let next: Input | undefined = input;
    for (let turns = 0; next; turns += 1) {
      if (turns === maxTurns) throw new Error(`${this.name} goes round in circles`);
      next = await this.#afterTurn(await this.#turn(next));
    }
  }

  async #turn(input: Input): Promise<Outcome | undefined> {
    const body: TurnRequestInput = {
      ...{ protocol: 1, turnId: `${this.name}-t${this.turns.length + 1}`, sandboxId: this.name },
      ...{ mode: "normal", messages: this.messages, input },
    };
    this.turns.push(body);
    this.body = body;
    // The other clients see what the first one sends, and each follows it to its end separately.
    for (const client of this.clients.slice(1)) this.#companionsWork.push(client.bring(body));
    const outcome = await this.first.bring(body);
    this.endedTurns.set(body.turnId, performance.now());
    const events = [...(this.first.stored.get(body.turnId)?.entries() ?? [])].sort(([a], [b]) => a - b);
    for (const [, event] of events)
      if (event.event === "message") this.messages = [...this.messages, event.data.message];
    return outcome;
  }

  /** The person's next input; undefined = the session is over. */
  async #afterTurn(outcome: Outcome | undefined): Promise<Input | undefined> {
    this.#isToSayAgain = false;
    if (!outcome) return undefined;
    if (outcome.kind === "refused") {
      this.errors.push(outcome.error);
      return undefined;
    }
    const { last } = outcome;
    if (last.event === "turn.failed") {
      this.errors.push(last.data.error);
      this.#isToSayAgain = ["history_differs", "not_kept"].includes(last.data.error.code);
      return undefined;
    }
    if (last.event !== "turn.done") return undefined;
    this.#isToSayAgain = last.data.reason === "stopped";
    if (last.data.reason === "continue") {
      // No script comes near a host's limits, and setting a clock must not use them up.
      if (this.#deps.town.settings.runtime !== "workerd") this.problems.push("a turn ended before its work");
      return { type: "continue" };
    }
    if (last.data.reason !== "permission") return undefined;
    return this.#permit();
  }

  /** The person checks whether the call has run and answers accordingly; sometimes they just deny it. */
  async #permit(): Promise<Input> {
    const asked = this.#lastAsked();
    if (asked?.event !== "permission") throw new Error(`${this.name}: nothing is asked`);
    const { toolCallId, name, arguments: json, risk } = asked.data;
    if (risk !== "outcome_unknown") throw new Error(`${this.name}: asked about ${risk}: ${json}`);
    const effect = effectOf(name, json) ?? "";
    // A command may outlive its server for a moment.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const ran = (await this.count(effect)) > 0;
    const dice = this.#deps.next();
    const decision = dice < 0.3 ? "deny" : ran ? "done" : "again";
    this.story.push(
      `${this.name} is asked about ${effect}, which ${ran ? "ran" : "did not run"}: ${decision}`,
    );
    return { type: "permit", toolCallId, decision };
  }

  #lastAsked(): TurnEvent | undefined {
    const turn = this.turns.at(-1)?.turnId ?? "";
    return [...(this.first.stored.get(turn)?.values() ?? [])].findLast(({ event }) => event === "permission");
  }

  #decide(turnId: string): "server" | "client" {
    // An earlier turn is part of what was posted. Without it, this would be a different conversation.
    const current = turnId === this.body?.turnId;
    const side = current && this.#deps.next() < 0.5 ? "server" : "client";
    this.story.push(`${this.name}: histories differ about ${turnId}; the ${side}'s counts`);
    this.differences.push(`client and server have different histories of ${turnId}`);
    if (side === "server") {
      this.gaveUp = true;
      this.seen.forget(turnId);
    }
    return side;
  }
}
