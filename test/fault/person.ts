// A person who uses the phone's real session: she says her messages, answers questions, and continues after a
// death.
import { createApi } from "../../pwa/api/client.ts";
import type { OpenSessionDeps } from "../../pwa/session/followed-session.ts";
import { OpenSession } from "../../pwa/session/open-session.ts";
import type { Kv } from "../../pwa/storage/kv.ts";
import { loadSession, sessionPuts } from "../../pwa/storage/session-store.ts";
import type { Mode } from "../../shared/mode.ts";
import { type Entry, emptySession, type SessionState } from "../../shared/session/session-state.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import { memoryKv } from "../unit/pwa/memory-kv.ts";
import { type Faults, Life, Lost } from "./faults.ts";

export interface Habits {
  mode: Mode;
  /** The messages that she sends one after the other, each when no question is open. */
  says: readonly string[];
  /** Looks at the workspace whether a call has run, if the phone does not know it. */
  hasRun?(toolCallId: string): Promise<boolean>;
  /** Presses stop once, after this many events of the first turn. */
  stopsAfter?: number;
}

/** The environment of a person's phone. */
export interface Surrounding {
  faults: Faults;
  sandboxId: string;
  clock: { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> };
  newId(): string;
  phoneFetch(phone: Life): typeof fetch;
}

const sessionId = "case";

export class Person {
  /** The storage that the phone keeps when its page is closed. */
  readonly kept: Kv = memoryKv();
  readonly #world: Surrounding;
  readonly #habits: Habits;
  #session: OpenSession | undefined;
  #stopped = false;

  constructor(world: Surrounding, habits: Habits) {
    this.#world = world;
    this.#habits = habits;
  }

  /** Resolves when everything is said and done, after any number of lives of the phone. */
  async live(): Promise<void> {
    const record = {
      id: sessionId,
      title: "Case",
      sandboxId: this.#world.sandboxId,
      workspace: "case",
      createdAt: 1,
      updatedAt: 1,
      summary: { text: "", mark: "hollow" as const },
      demo: false,
    };
    await this.kept.write(sessionPuts(record, emptySession(this.#habits.mode), 0));
    for (;;) {
      const life = new Life("phone", this.#world.faults);
      try {
        await this.#oneLife(life);
        return;
      } catch (error) {
        if (!life.dead) throw error;
      }
    }
  }

  /** What the phone is doing, in case a run does not end. */
  doing(): string {
    const { connection, outbox } = this.#session ?? {};
    return JSON.stringify({ connection: connection?.value, turn: outbox?.value.turn });
  }

  /** All entries as stored. */
  async entries(): Promise<readonly Entry[]> {
    const loaded = await loadSession(this.kept, sessionId);
    if (!loaded) throw new Error("the session is gone from storage");
    if (loaded.unreadable > 0) throw new Error("entries of the session do not read back");
    return loaded.state.entries;
  }

  async #oneLife(life: Life): Promise<void> {
    const session = await life.guard(OpenSession.load(this.#phone(life), sessionId));
    if (!session) throw new Error("the session is gone from storage");
    this.#session = session;
    await life.guard(session.becomeWriter());
    for (;;) {
      await life.guard(this.#idle(session, life));
      const { kind } = session.connection.value;
      if (kind === "refused")
        throw new Error(`the server refused: ${JSON.stringify(session.connection.value)}`);
      const { draft } = session;
      const said = saidIn(session.state.value.entries);
      if (said.includes(draft.value.text) && draft.value.text !== "") {
        session.draft.value = { ...draft.value, text: "" };
        await life.guard(session.saveDraft());
      }
      const input = await this.#next(session.state.value, said);
      if (input === undefined) return;
      if (input.type === "message") {
        session.setDraft({ text: input.text });
        await life.guard(session.saveDraft());
      }
      session.send(input, input.type === "message" ? { clears: { text: "" } } : {});
    }
  }

  /** Resolves when nothing runs any more. Presses stop if this person does so. */
  #idle(session: OpenSession, life: Life): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (session.outbox.value.turn === null || life.dead) resolve();
        const { turn } = session.state.value.head;
        const after = this.#habits.stopsAfter;
        if (after === undefined || this.#stopped || (turn?.lastEventId ?? 0) < after) return;
        this.#stopped = true;
        session.requestStop().catch(() => {
          this.#stopped = false;
        });
      };
      const ends = [
        session.outbox.subscribe(() => queueMicrotask(look)),
        session.state.subscribe(() => queueMicrotask(look)),
      ];
      life.signal.addEventListener("abort", () => resolve(), { once: true });
      void Promise.resolve().then(look);
      // The subscriptions of a finished wait do no harm; they end with the session.
      void ends;
    });
  }

  async #next(state: SessionState, said: readonly string[]): Promise<TurnInput | undefined> {
    const waiting = waitingFor(state);
    switch (waiting.kind) {
      case "questions":
        return {
          type: "answers",
          toolCallId: waiting.asked.toolCallId,
          answers: waiting.asked.questions.map(({ id }) => ({ id, raw: "1" })),
          run: false,
        };
      case "permission": {
        const { toolCallId, risk } = waiting.permission;
        if (risk !== "outcome_unknown") return { type: "permit", toolCallId, decision: "once" };
        const ran = await this.#habits.hasRun?.(toolCallId);
        return { type: "permit", toolCallId, decision: ran ? "done" : "again" };
      }
      case "proposal":
        return {
          type: "approve",
          planVersion: waiting.planVersion,
          planHash: waiting.planHash,
          mode: "normal",
        };
      case "failure":
        return { type: "continue" };
      default: {
        const text = this.#habits.says.find((line) => !said.includes(line));
        return text === undefined ? undefined : { type: "message", text };
      }
    }
  }

  #phone(life: Life): OpenSessionDeps {
    const world = this.#world;
    return {
      kv: mortalKv(this.kept, life),
      now: world.clock.now,
      newId: world.newId,
      onRecord: () => undefined,
      onSaved: () => undefined,
      onEvents: () => undefined,
      onHandOver: () => undefined,
      client: () => undefined,
      serves: () => null,
      api: createApi({
        fetch: world.phoneFetch(life),
        token: () => "unused",
        onUnauthorized: () => undefined,
      }),
      page: {
        // The browser suite runs back-off and watchdog in real time. Here a pause is a step.
        sleep: world.clock.sleep,
        wake: () => forever(),
        doubt: () => forever(),
        isOnline: () => true,
        inNextFrame: (flush) => void Promise.resolve().then(() => !life.dead && flush()),
      },
    };
  }
}

function saidIn(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.event === "message" && entry.data.message.role === "user" ? [entry.data.message.content] : [],
  );
}

/** The phone's storage as a page in this life sees it: a write is complete or never happened. */
function mortalKv(kv: Kv, life: Life): Kv {
  return {
    get: (key) => life.guard(kv.get(key)),
    getMany: (keys) => life.guard(kv.getMany(keys)),
    range: (prefix) => life.guard(kv.range(prefix)),
    async write(puts, deletes) {
      await unlessCut(life, "phone>storage write");
      await kv.write(puts, deletes);
      await unlessCut(life, "phone>storage written");
    },
    async update(key, change) {
      await unlessCut(life, "phone>storage write");
      const value = await kv.update(key, change);
      await unlessCut(life, "phone>storage written");
      return value;
    },
    clear: (prefix) => life.guard(kv.clear(prefix)),
  };
}

/** Storage has no connection that could be cut: it works, or the page is dead. */
async function unlessCut(life: Life, label: string): Promise<void> {
  try {
    await life.point(label);
  } catch (error) {
    if (life.dead || !(error instanceof Lost)) throw error;
  }
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
