// Invariants after every turn, whatever was done. They use only what a client and a provider have seen.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { Message, PlanMessage } from "../../../shared/message.ts";
import type { Mode } from "../../../shared/mode.ts";
import { parsePlan } from "../../../shared/plan/markdown.ts";
import { bodyOf } from "../../../shared/plan/plan-body.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import type { RequestBody, RequestMessage } from "../../fakes/model-server.ts";
import { durable } from "../../harness/conversation.ts";

/** Durable ids count from 1, and the last event is the only one that ends the turn. */
export function checkStream(events: readonly TurnEvent[]): void {
  expect(durable(events).map(({ id }) => id)).toEqual(durable(events).map((_, index) => index + 1));
  const endings = events.filter(({ event }) => event === "turn.done" || event === "turn.failed");
  expect(endings).toEqual([events.at(-1)]);
}

/**
 * Each call has one result, in the order of the calls and before the next message. Calls are open only if the
 * turn waits for the person.
 */
export function checkHistory(messages: readonly Message[], waits: boolean): void {
  const ids = messages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") expect(message.toolCallId).toBe(open.shift());
    else if (message.role === "user" || message.role === "assistant") expect(open).toEqual([]);
    if (message.role === "assistant") open = (message.toolCalls ?? []).map(({ id }) => id);
  }
  if (!waits) expect(open).toEqual([]);
  else expect(open.length).toBeGreaterThan(0);
}

/**
 * There is one current plan. Its text matches its structure, its hash is that of the text, and at most one
 * step is active.
 */
export function checkPlan(plan: Plan | null): void {
  if (!plan) return;
  expect(createHash("sha256").update(plan.markdown).digest("hex")).toBe(plan.hash);
  expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: bodyOf(plan) });
  expect(plan.steps.filter(({ status }) => status === "active").length).toBeLessThanOrEqual(1);
  expect(plan.round).toBeLessThanOrEqual(5);
}

/**
 * Roles are as providers demand: one system message, no two answers in a row, results directly after their
 * calls, and none of our hidden roles.
 */
export function checkWire({ messages }: RequestBody): void {
  let open: string[] = [];
  messages.forEach((message, index) => {
    expect(message.role === "system").toBe(index === 0);
    expect(["system", "user", "assistant", "tool"]).toContain(message.role);
    // An answer is followed by results or by the user.
    if (message.role === "assistant") expect(["user", "tool"]).toContain(messages[index + 1]?.role);
    if (message.role === "tool") expect(message.tool_call_id).toBe(open.shift());
    else expect(open).toEqual([]);
    if (message.role === "assistant") open = (message.tool_calls ?? []).map(({ id }) => id);
  });
  expect(open).toEqual([]);
}

/** The tools, the system message and the last switch always agree about the mode. */
export function checkMode(body: RequestBody, mode: Mode): void {
  const offered = (body.tools ?? []).map(({ function: { name } }) => name);
  expect(offered.includes("exit_plan")).toBe(mode === "plan");
  expect(offered.includes("write_file")).toBe(mode !== "plan");
  expect(text(body.messages[0]).includes("PLANNING MODE")).toBe(mode === "plan");
  const switched = body.messages
    .filter(({ role }) => role === "user")
    .flatMap((message) => /^\[Mode switched from \w+ to (\w+)\./.exec(text(message))?.[1] ?? []);
  if (switched.length > 0) expect(switched.at(-1)).toBe(mode);
}

/** The remaining text of an older call: one line instead of its goal. */
const pointsElsewhere =
  /^\{"goal":"(Plan version \d+(, superseded\.|: its text is in the plan block\.)|Its plan text was not installed\.)"\}$/;

/** The plan's text occurs once while planning, at most once more after the switch, and never a third time. */
export function checkBodies({ messages }: RequestBody, mode: Mode, newest: PlanMessage | undefined): void {
  const blocks = messages.filter(
    (message) => message.role === "user" && /<(approved-|proposed-)?plan version="/.test(text(message)),
  ).length;
  // A failed call stays complete, so that the model can correct it. It made no plan, and its result says so.
  const failed = new Set(
    messages.filter((message) => text(message).startsWith("error: ")).map((message) => message.tool_call_id),
  );
  const carriers = messages
    .flatMap((message) => message.tool_calls ?? [])
    .filter(({ id, function: { arguments: json } }) => !failed.has(id) && /"(goal|plan)":/.test(json))
    .filter(({ function: { arguments: json } }) => !pointsElsewhere.test(json)).length;
  // A text of the model that became the plan stays in its message, which has no call.
  const said = /^plan:t\d+-\d+\.\d+\.[0-9a-f-]{8}$/.test(newest?.id ?? "") ? 1 : 0;
  if (mode === "plan" && newest) expect(blocks + carriers + said).toBe(1);
  else expect(blocks + carriers + said).toBeLessThanOrEqual(2);
}

/** Providers' caches work: each request begins with the previous one, unchanged. */
export function checkPrefix(before: RequestBody, now: RequestBody): void {
  // The user message that represents a `continue` is replaced by the person's next message if it was not
  // answered.
  const sent = text(before.messages.at(-1)) === "Go on." ? before.messages.slice(0, -1) : before.messages;
  expect(now.messages.slice(0, sent.length)).toEqual(sent);
  expect(now.tools).toEqual(before.tools);
}

function text(message: RequestMessage | undefined): string {
  return typeof message?.content === "string" ? message.content : "";
}
