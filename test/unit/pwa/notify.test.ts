// The phone's stored data about notifications and answers tapped on them, and when such an answer still
// counts.
import { describe, expect, test } from "vitest";
import { answerInput } from "../../../pwa/session/give-answer.ts";
import { type KeptAnswer, keepAnswer, listAnswers, settleAnswer } from "../../../pwa/storage/kept-answer.ts";
import { changeNotify, notifyOption, readNotify } from "../../../pwa/storage/notify.ts";
import type { DurableEvent } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { memoryKv } from "./memory-kv.ts";

const subscription = {
  endpoint: "https://push.example.com/one",
  keys: { p256dh: `B${"x".repeat(86)}`, auth: "y".repeat(22) },
};
const now = new Date("2026-11-23T12:00:00Z");
const inUtc = (minute: number) => (minute + now.getTimezoneOffset() + 1_440) % 1_440;

describe("notifications of a turn", () => {
  test("go to nobody without a subscription", () => {
    expect(notifyOption({ off: ["end"] }, now)).toBeUndefined();
  });

  test("go to the subscription, with the chosen kinds and times, in the server's time", () => {
    expect(notifyOption({ subscription }, now)).toEqual(subscription);
    const wants = { off: ["end" as const], quiet: { from: 1_320, to: 420 }, runningMinutes: 10 };
    expect(notifyOption({ subscription, ...wants }, now)).toEqual({
      ...subscription,
      kinds: ["questions", "proposal", "permission", "failure"],
      quiet: { from: inUtc(1_320), to: inUtc(420) },
      runningMinutes: 10,
    });
  });

  test("ignore an unreadable setting and keep the others", async () => {
    const kv = memoryKv();
    await kv.write([["notify", { subscription, off: ["a kind of later versions"], quiet: 7 }]]);
    expect(await readNotify(kv)).toEqual({ subscription, off: undefined, quiet: undefined });
    await changeNotify(kv, { runningMinutes: 5 });
    expect(await readNotify(kv)).toMatchObject({ subscription, runningMinutes: 5 });
  });
});

const allow: KeptAnswer = {
  ...{ sessionId: "s", turnId: "t1", toolCallId: "c1", label: "Allow once", state: "kept" },
  answer: { decision: "once", command: "git push" },
};
const pick: KeptAnswer = {
  ...allow,
  label: "SQLite",
  answer: { options: ["Postgres", "SQLite"], picked: 1 },
};

describe("a tapped answer", () => {
  test("counts once: a second one to the same question, sent or not, changes nothing", async () => {
    const kv = memoryKv();
    expect(await keepAnswer(kv, allow)).toBe(true);
    const deny: KeptAnswer = { ...allow, label: "Deny", answer: { decision: "deny", command: "git push" } };
    expect(await keepAnswer(kv, deny)).toBe(false);
    expect(await listAnswers(kv)).toEqual([allow]);
    await settleAnswer(kv, allow);
    expect(await keepAnswer(kv, allow)).toBe(false);
    expect(await listAnswers(kv)).toEqual([]);
  });

  test("is dropped in favour of an answer to the next question", async () => {
    const kv = memoryKv();
    await keepAnswer(kv, allow);
    const next = { ...allow, turnId: "t2" };
    expect(await keepAnswer(kv, next)).toBe(true);
    await settleAnswer(kv, allow);
    expect(await listAnswers(kv)).toEqual([next]);
  });
});

const started: DurableEvent = {
  id: 1,
  event: "turn.started",
  data: {
    turnId: "t1",
    mode: "normal",
    model: { provider: "p", id: "m" },
    toolProtocol: "native",
    format: 1,
  },
};
const permission = (id: number, toolCallId: string, command: string): DurableEvent => ({
  id,
  event: "permission",
  data: {
    ...{ toolCallId, name: "run_command", risk: "remote", why: "it pushes" },
    arguments: JSON.stringify({ command }),
  },
});
const questions = (labels: string[]): DurableEvent => ({
  id: 2,
  event: "questions",
  data: {
    ...{ toolCallId: "c1", round: 1 },
    questions: [
      {
        ...{ id: "db", label: "Database", prompt: "Which?", type: "single_select" },
        options: labels.map((label) => ({ label })),
      },
    ],
  },
});
const done = (reason: "permission" | "questions"): DurableEvent => ({
  id: 9,
  event: "turn.done",
  data: { reason, rounds: 1 },
});
const fold = (...events: DurableEvent[]) => [started, ...events].reduce(reduce, emptySession());

describe("what it sends", () => {
  test("the decision on the call, or the option's number", () => {
    const asked = fold(permission(2, "c1", "git push"), done("permission"));
    expect(answerInput(asked, allow)).toEqual({ type: "permit", toolCallId: "c1", decision: "once" });
    const choice = fold(questions(["Postgres", "SQLite"]), done("questions"));
    expect(answerInput(choice, pick)).toEqual({
      ...{ type: "answers", toolCallId: "c1", run: false },
      answers: [{ id: "db", raw: "2" }],
    });
  });

  test.each([
    ["the turn still runs", fold(permission(2, "c1", "git push")), allow],
    ["another call waits", fold(permission(2, "c2", "git push"), done("permission")), allow],
    ["the call is another command", fold(permission(2, "c1", "rm -rf x"), done("permission")), allow],
    [
      "a second call waits as well",
      fold(permission(2, "c1", "git push"), permission(3, "c2", "ls"), done("permission")),
      allow,
    ],
    [
      "another turn asks",
      fold(permission(2, "c1", "git push"), done("permission")),
      { ...allow, turnId: "t0" },
    ],
    ["the options are others", fold(questions(["SQLite", "Postgres"]), done("questions")), pick],
    ["nothing is asked", fold(done("questions")), pick],
  ])("nothing where %s", (_, state, answer) => {
    expect(answerInput(state, answer)).toBeUndefined();
  });
});
