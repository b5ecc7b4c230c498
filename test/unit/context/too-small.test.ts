// A prompt is refused as too large only if not even the required minimum fits. The minimum is computed by
// rules of this test alone.
import fc from "fast-check";
import { expect, test } from "vitest";
import { digestChars, digestTokens } from "../../../functions/compaction/digest.ts";
import { fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import { estimatePrompt } from "../../../functions/context/estimate.ts";
import { render } from "../../../functions/context/render.ts";
import type { Message } from "../../../shared/message.ts";
import { runs } from "../../harness/runs.ts";
import { histories, longWork } from "./history-arbitrary.ts";

/** A long run checks more. */
const numRuns = runs(Number(process.env.HANDRAIL_PROPERTY_RUNS ?? 150), 15);
const slow = 60_000 + numRuns * 400;
/** The minimum of an old result and of a payload: head, tail and the words between them. */
const resultChars = 430;
const payloadChars = 240;

function subkind(message: Message | undefined): string | undefined {
  return message?.role === "event" ? message.extra.event.subkind : undefined;
}

/**
 * The messages that must always stay: system and first message, plan, deltas, ledger, and what is being
 * answered.
 */
function mustStay(history: readonly Message[]): Set<Message> {
  const plan = history.findLastIndex(({ role }) => role === "plan");
  const asked = history.findLast(
    (message) => message.role === "tool" && message.name === "ask_user" && message.ok,
  );
  const lastAnswer = history.findLastIndex(({ role }) => role === "assistant");
  const stays = new Set<Message>();
  history.forEach((message, index) => {
    const shows = message.role === "event" && message.extra.event.data.planVersion !== undefined;
    if (index === plan || (index > plan && subkind(message) === "plan_delta")) stays.add(message);
    if (shows && index > plan) stays.add(message);
    if (message.role === "event" && message.extra.event.data.decision === "session") stays.add(message);
    if (index >= lastAnswer) stays.add(message);
  });
  const switched = history.findLast((message) => subkind(message) === "mode_switch");
  if (switched) stays.add(switched);
  const callOf = asked?.role === "tool" ? asked.toolCallId : "";
  for (const message of history) {
    const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
    if (calls.some(({ id }) => id === callOf)) {
      stays.add(message);
      for (const result of history)
        if (result.role === "tool" && calls.some(({ id }) => id === result.toolCallId)) stays.add(result);
    }
  }
  for (const user of [
    history.find(({ role }) => role === "user"),
    history.findLast(({ role }) => role === "user"),
  ])
    if (user) stays.add(user);
  return stays;
}

/** The message in its shortest allowed form. */
function short(message: Message): Message {
  if (message.role === "tool" && message.name !== "ask_user")
    return { ...message, content: message.content.slice(0, resultChars) };
  if (message.role !== "assistant" || !message.toolCalls) return message;
  const toolCalls = message.toolCalls.map((call) =>
    call.name === "write_file"
      ? { ...call, arguments: call.arguments.replace(/y{100,}/, "y".repeat(payloadChars)) }
      : call,
  );
  return { ...message, toolCalls };
}

function leastTokens(history: readonly Message[], room: number): number {
  const stays = mustStay(history);
  const least = history.filter((message) => stays.has(message)).map(short);
  const digest = least.length < history.length ? digestTokens(digestChars(room)) : 0;
  return estimatePrompt(render(least, "system")) + digest;
}

/** The smallest room for the required minimum, including a digest. */
function leastRoom(history: readonly Message[]): number {
  let room = leastTokens(history, 0);
  for (let least = 0; least !== room; ) {
    least = room;
    room = leastTokens(history, room);
  }
  return room;
}

test("what fits in its shortest form is never refused as too large", {
  tags: "random",
  timeout: slow,
}, () => {
  let trimmed = 0;
  fc.assert(
    fc.property(fc.oneof(histories(60), longWork(40)), fc.nat(200), ({ messages }, more) => {
      const room = leastRoom(messages) + more;
      const fitted = fitPrompt(messages, "system", room);
      expect(fitted.tokens).toBeLessThanOrEqual(room);
      if (fitted.trimmed > 0) trimmed += 1;
    }),
    { numRuns },
  );
  expect(trimmed).toBeGreaterThan(numRuns / 2);
});
