// Plays one random sequence against a running edge: acts in any order, allowed or not, new or stale. Checks
// the invariants after each.
import { expect } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import type { Message, PlanMessage, ToolCall } from "../../../shared/message.ts";
import type { TurnInput, TurnRequestInput } from "../../../shared/turn.ts";
import type { ModelServer, RequestBody } from "../../fakes/model-server.ts";
import { Conversation, dataOf, durable } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn, type Target } from "../../harness/sse.ts";
import { ask, post } from "../http/request.ts";
import {
  checkBodies,
  checkHistory,
  checkMode,
  checkPlan,
  checkPrefix,
  checkStream,
  checkWire,
} from "./invariants.ts";
import type { Act, Doing } from "./random-acts.ts";

/** Counts of turns that ran and of requests that were refused. */
export interface Tally {
  ran: number;
  refused: Record<string, number>;
}

export async function runSequence(
  edge: Target,
  model: ModelServer,
  acts: readonly Act[],
  tally: Tally,
): Promise<void> {
  const { json } = await ask(edge, "/api/sandboxes", post({}));
  const talk = new Conversation(edge, SandboxAnswer.parse(json).sandboxId, "plan");
  talk.options = { maxRounds: 5 };
  const before: Before = { request: undefined, mode: talk.mode };
  let past: Partial<TurnRequestInput> = {};
  for (const act of acts) {
    if (act.do === "pill") {
      talk.mode = act.mode;
      continue;
    }
    model.play(act.script);
    const doing = act.do === "whatever is open" ? fitting(act.choices, talk) : act;
    const stale = "stale" in doing && doing.stale;
    const input = inputOf(doing, talk);
    const body = talk.body(input, {
      ...(act.edit && talk.plan ? { plan: { ...talk.plan, markdown: edited(talk.plan.markdown) } } : {}),
      ...(stale ? past : {}),
    });
    past = { messages: talk.messages, plan: talk.plan, mode: talk.mode };
    if (doing.do === "stop first")
      await ask(edge, `/api/turns/${talk.sandboxId}/${body.turnId}/stop`, post({}));
    const first = model.requests.length;
    const response = await postTurn(edge, body);
    if (response.status !== 200) {
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect([400, 409], error.message).toContain(response.status);
      expect(model.requests.length).toBe(first);
      tally.refused[error.code] = (tally.refused[error.code] ?? 0) + 1;
      continue;
    }
    tally.ran += 1;
    const events = await collect(eventsOf(response));
    // A stale request that is answered belongs to another client's conversation. Ours continues unchanged.
    if (stale && body.messages !== talk.messages) return;
    const hadPlan = newestPlan(talk.messages);
    const startedIn = dataOf(events, "turn.started").mode;
    for (const event of events) talk.keep(event);
    checkStream(events);
    const ending = events.at(-1);
    const waits = ending?.event === "turn.done" && ["questions", "permission"].includes(ending.data.reason);
    checkHistory(talk.messages, waits);
    checkPlan(talk.plan);
    const requests = model.requests.slice(first).map((request) => request.body);
    checkRequests(requests, { events, startedIn, hadPlan, before });
    if (act.twice) await checkReplay(edge, model, body, events);
  }
}

interface Turn {
  events: readonly TurnEvent[];
  startedIn: Conversation["mode"];
  hadPlan: PlanMessage | undefined;
  before: Before;
}

/** The previous request, with which the next one must begin; undefined if it need not. */
interface Before {
  request: RequestBody | undefined;
  mode: Conversation["mode"];
}

/** Matches the turn's events with the requests of its answers. */
function checkRequests(requests: readonly RequestBody[], { events, startedIn, hadPlan, before }: Turn): void {
  let mode = startedIn;
  let known = hadPlan;
  let n = 0;
  const see = () => {
    const request = requests[n];
    if (!request) return;
    n += 1;
    checkWire(request);
    checkMode(request, mode);
    checkBodies(request, mode, known);
    if (before.request && before.mode === mode) checkPrefix(before.request, request);
    before.request = request;
    before.mode = mode;
  };
  for (const event of durable(events)) {
    if (event.event === "mode") {
      mode = event.data.to;
      // After a mode switch, an earlier part of the prompt changes.
      before.request = undefined;
    }
    if (event.event !== "message") continue;
    if (event.data.message.role === "plan") {
      known = event.data.message;
      before.request = undefined;
    }
    if (event.data.message.role === "assistant") see();
  }
  see();
  expect(n).toBe(requests.length);
}

/** Posting the same turn again gives the same events and calls no model. */
async function checkReplay(
  edge: Target,
  model: ModelServer,
  body: TurnRequestInput,
  events: readonly TurnEvent[],
) {
  const asked = model.requests.length;
  const again = await collect(eventsOf(await postTurn(edge, { ...body, attempt: 2 })));
  expect(durable(again)).toEqual(durable(events));
  expect(model.requests.length).toBe(asked);
}

type Choices = Extract<Act, { do: "whatever is open" }>["choices"];

function fitting({ answer, decide, permit, plain }: Choices, talk: Conversation): Doing {
  const open = lastCall(talk);
  if (open !== undefined) return open.name === "ask_user" ? answer : permit;
  return talk.plan?.status === "proposed" ? decide : plain;
}

function inputOf(act: Doing, talk: Conversation): TurnInput {
  const proposal = { planVersion: talk.plan?.version ?? 1, planHash: talk.plan?.hash ?? "none" };
  switch (act.do) {
    case "say":
    case "pill":
    case "stop first":
      return { type: "message", text: "Do something." };
    case "replan":
      return { type: "replan", text: "Differently." };
    case "reset":
      return { type: "replan", reset: true };
    case "continue":
      return { type: "continue" };
    case "approve":
      return { type: "approve", ...proposal, mode: act.mode, ...(act.hold ? { hold: true } : {}) };
    case "reject":
      return { type: "reject", planVersion: proposal.planVersion, feedback: "No." };
    case "answer":
      return {
        type: "answers",
        toolCallId: lastCall(talk)?.id ?? "none",
        answers: [{ id: "q", raw: act.raw }],
        run: act.run,
      };
    case "permit":
      return { type: "permit", toolCallId: lastCall(talk)?.id ?? "none", decision: act.decision };
    case "rewind":
      return { type: "rewind", stepId: act.stepId };
  }
}

/** The call that waits for the person, if there is one. */
function lastCall(talk: Conversation): ToolCall | undefined {
  const done = new Set(talk.messages.map((message) => (message.role === "tool" ? message.toolCallId : "")));
  const calls = talk.messages.flatMap((message) =>
    message.role === "assistant" ? (message.toolCalls ?? []) : [],
  );
  return calls.find(({ id }) => !done.has(id));
}

let edits = 0;

/** First the wording of a step changes, then a step is added. */
function newestPlan(messages: readonly Message[]): PlanMessage | undefined {
  return messages.findLast((message) => message.role === "plan");
}

function edited(markdown: string): string {
  edits += 1;
  const end = /\n# (Decision points|Checkpoints|Rollback)\n/.exec(markdown)?.index ?? markdown.length;
  const steps = markdown.slice(0, end).trimEnd();
  const more = /# Plan\n/.test(steps) ? `${steps}\n9. Added by hand ${edits}` : `${steps} by hand ${edits}`;
  return `${more}\n${markdown.slice(end)}`;
}
