import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DurableDraft, isDurable, type TurnEvent } from "../../../shared/event.ts";
import { hookRunId } from "../../../shared/hooks.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import {
  dropLive,
  emptySession,
  noLive,
  type SessionState,
  withMode,
} from "../../../shared/session/session-state.ts";
import { permissionsOf, waitingFor } from "../../../shared/session/waiting.ts";
import { assistant, numbered, plan, planningTurn, started, toolResult, user, workingTurn } from "./events.ts";

const day = [...planningTurn, ...workingTurn];

function fold(events: readonly TurnEvent[], from: SessionState = emptySession()): SessionState {
  return events.reduce(reduce, from);
}

/** The part of the state that is stored. */
function kept({ head, entries }: SessionState) {
  return { head, entries };
}

describe("replay", () => {
  test("a prefix, and then the turn from any earlier id on, equals the whole turn", () => {
    fc.assert(
      fc.property(fc.nat(planningTurn.length), fc.nat(20), (cut, back) => {
        const prefix = fold(planningTurn.slice(0, cut));
        const after = Math.max(0, (prefix.head.turn?.lastEventId ?? 0) - back);
        const replayed = planningTurn.filter((event) => isDurable(event) && event.id > after);
        expect(kept(fold(replayed, dropLive(prefix)))).toEqual(kept(fold(planningTurn)));
      }),
    );
  });

  test("a turn that arrives twice counts once", () => {
    expect(kept(fold(workingTurn, fold(day)))).toEqual(kept(fold(day)));
  });

  test("ephemeral events never change what is kept", () => {
    const durable = day.filter(isDurable);
    fc.assert(
      fc.property(
        fc.subarray(day.filter((event) => !isDurable(event))),
        fc.nat(durable.length),
        (extra, at) => {
          const mixed = [...durable.slice(0, at), ...extra, ...durable.slice(at)];
          expect(kept(fold(mixed))).toEqual(kept(fold(durable)));
        },
      ),
    );
  });

  test("reducing never changes the state it was given", () => {
    const before = fold(planningTurn);
    const copy = structuredClone(before);
    fold(workingTurn, before);
    expect(before).toEqual(copy);
  });
});

describe("live text", () => {
  const first = numbered([
    started("t1"),
    user("u1", "Hi"),
    { event: "text.delta", data: { messageId: "a1", delta: "Hel" } },
  ]);

  test("grows by deltas and gives way to its message", () => {
    const state = fold(first);
    expect(state.live.partial?.text).toBe("Hel");
    const done = reduce(state, { ...assistant("a1", "Hello"), id: 3 } as TurnEvent);
    expect(done.live.partial).toBeNull();
  });

  test("of a sampling that no message completed is discarded by the next one", () => {
    const state = reduce(fold(first), { event: "text.delta", data: { messageId: "a2", delta: "New" } });
    expect(state.live.partial).toMatchObject({ messageId: "a2", text: "New" });
  });

  test("is gone when the turn ends", () => {
    const state = reduce(fold(first), { id: 3, event: "turn.done", data: { reason: "stopped", rounds: 1 } });
    expect(state.live).toEqual({ ...noLive });
  });
});

describe("live output", () => {
  const calling = numbered([
    started("t1"),
    user("u1", "Run"),
    assistant("a1", "", [["c1", "run_command", { command: "x" }]]),
  ]);
  const out = (offset: number, text: string): TurnEvent => ({
    event: "tool.output",
    data: { toolCallId: "c1", stream: "stdout", offset, text },
  });

  test("shows every byte once, whatever is repeated after a reconnection", () => {
    const text = "ä line\nand 日本 more\n";
    const bytes = (part: string) => new TextEncoder().encode(part).length;
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (cut, back) => {
        const again = Math.max(0, cut - back);
        const events = [out(0, text.slice(0, cut)), out(bytes(text.slice(0, again)), text.slice(again))];
        expect(fold([...calling, ...events]).live.output.c1?.text).toBe(text);
      }),
    );
  });

  test("says where a part of it is missing", () => {
    const state = fold([...calling, out(0, "line 5\n"), out(14, "line 12\n")]);
    expect(state.live.output.c1?.text).toBe(
      "line 5\n… some lines are not shown here; they come with the result\nline 12\n",
    );
  });

  test("keeps only its newest part, and says so", () => {
    const state = fold([...calling, out(0, `${"x".repeat(20_000)}end`)]);
    expect(state.live.output.c1?.cut).toBe(true);
    expect(state.live.output.c1?.text).toMatch(/^x{15997}end$/);
  });

  test("ends with the call's result", () => {
    const state = fold([...calling, out(0, "a"), { ...toolResult("c1", "run_command"), id: 4 } as TurnEvent]);
    expect(state.live.output).toEqual({});
    expect(state.head.openCalls).toEqual([]);
  });
});

describe("what waits for the person", () => {
  test("a proposal, until the plan changes or is approved", () => {
    const proposed = fold(planningTurn);
    expect(waitingFor(proposed)).toMatchObject({ kind: "proposal", planVersion: 1, planHash: "h1" });
    expect(proposed.head.plan?.status).toBe("proposed");
    const patched = fold(
      numbered([
        started("t3", "plan"),
        { event: "plan", data: { plan: plan({ hash: "h2" }) } },
        { event: "turn.done", data: { reason: "stop", rounds: 1 } },
      ]),
      proposed,
    );
    expect(waitingFor(patched).kind).toBe("nothing");
    expect(waitingFor(fold(workingTurn, proposed)).kind).toBe("open");
  });

  test("a proposal no longer after the person switched away, and again when they return", () => {
    const proposed = fold(planningTurn);
    expect(waitingFor(withMode(proposed, "normal")).kind).toBe("nothing");
    expect(waitingFor(withMode(withMode(proposed, "normal"), "plan")).kind).toBe("proposal");
  });

  test("a plan that was approved and held, until it starts", () => {
    const held = numbered([
      started("t2", "plan"),
      { event: "plan", data: { plan: plan({ status: "approved" }) } },
      { event: "turn.done", data: { reason: "stop", rounds: 0 } },
    ]);
    expect(waitingFor(fold(held, fold(planningTurn))).kind).toBe("approved");
  });

  test("nothing while a turn runs", () => {
    const running = fold(planningTurn.slice(0, -1));
    expect(waitingFor(running).kind).toBe("nothing");
  });

  test("questions, until their call has a result", () => {
    const ask = numbered([
      started("t1", "plan"),
      assistant("a1", "", [["c1", "ask_user", {}]], "plan"),
      {
        event: "questions",
        data: {
          toolCallId: "c1",
          round: 1,
          questions: [{ id: "q", label: "Q", prompt: "?", type: "free_text" }],
        },
      },
      { event: "turn.done", data: { reason: "questions", rounds: 1 } },
    ]);
    const asked = fold(ask);
    expect(waitingFor(asked)).toMatchObject({ kind: "questions", asked: { toolCallId: "c1" } });
    const answered = fold(
      numbered([
        started("t2", "plan"),
        toolResult("c1", "ask_user"),
        { event: "turn.done", data: { reason: "stop", rounds: 0 } },
      ]),
      asked,
    );
    expect(waitingFor(answered).kind).toBe("nothing");
  });

  test("a failure, with what is known of it", () => {
    const error = { code: "model_error" as const, message: "The model does not answer." };
    const state = fold(
      numbered([started("t1"), user("u1", "Hi"), { event: "turn.failed", data: { error } }]),
    );
    expect(waitingFor(state)).toEqual({ kind: "failure", error });
  });
});

test("the mode of the next request follows the turn's changes of mode", () => {
  expect(fold(planningTurn).head.mode).toBe("plan");
  expect(fold(day).head.mode).toBe("normal");
});

test("steps change the status and nothing else of the plan", () => {
  const steps = fold(day).head.plan?.steps;
  expect(steps?.[0]).toMatchObject({
    status: "done",
    note: "works",
    snapshot: "snap",
    description: "Step s1",
  });
  expect(steps?.[1]).toEqual(plan().steps[1]);
});

test("what was learned about a model's calls is not applied to another model", () => {
  const text = { toolProtocol: "text" as const };
  const first = fold(numbered([started("t1", "normal", text)]));
  expect(first.head.toolProtocol).toBe("text");
  // The server's default has changed while the request still contained the remembered model.
  const other = fold(numbered([started("t2", "normal", { ...text, modelId: "new" })]), first);
  expect(other.head).toMatchObject({ model: { id: "new" }, toolProtocol: null });
  const again = fold(numbered([started("t3", "normal", { modelId: "new" })]), other);
  expect(again.head.toolProtocol).toBe("native");
});

test("malformed calls are counted by provider and model", () => {
  const events: TurnEvent[] = [true, false, false].map((repaired) => ({
    event: "diagnostic",
    data: { provider: "p", model: "m", kind: "json", repaired },
  }));
  expect(fold(events).live.malformed).toEqual({ "p/m": { repaired: 1, returned: 2 } });
});

test("all permissions of an answer wait in call order; a decision or a result removes its own, a new question replaces its old one", () => {
  const asks = (toolCallId: string, why = "") => ({
    event: "permission" as const,
    data: { toolCallId, name: "run_command", arguments: "{}", risk: "remote" as const, why },
  });
  const decided: DurableDraft = {
    event: "message",
    data: {
      message: {
        id: "t2.permit",
        role: "event",
        content: "",
        createdAt: 1,
        mode: "normal",
        extra: {
          event: { subkind: "tool_decision", source: "person", data: { toolCallId: "b", decision: "once" } },
        },
      },
    },
  };
  const after = (...events: DurableDraft[]) => {
    const { head } = numbered([started("t1"), asks("a"), asks("b"), asks("c"), ...events]).reduce(
      reduce,
      emptySession(),
    );
    return permissionsOf(head).map(({ toolCallId, why }) => toolCallId + why);
  };
  expect(after()).toEqual(["a", "b", "c"]);
  expect(after(decided)).toEqual(["a", "c"]);
  expect(after(toolResult("a", "run_command"), asks("c", "?"))).toEqual(["b", "c?"]);
});

test.each([
  ["that writes the project's hooks", ["c1", "write_file", { path: ".handrail/config.json" }], true],
  ["whose command names them", ["c1", "run_command", { command: "cat .handrail/config.json" }], true],
  ["that names another file", ["c1", "write_file", { path: "config.json" }], undefined],
] as const)("after a call %s the next turn looks for hooks: %s", (_, [id, name, args], expected) => {
  const events = numbered([started("t1"), assistant("m1", "", [[id, name, args]])]);
  expect(fold(events).head.hooks).toBe(expected);
});

test("a hook around a turn is hidden once it has ended or the connection was lost; a call is not", () => {
  const state = fold(
    numbered([
      started("t1"),
      { event: "tool.started", data: { toolCallId: "c1", at: 1 } },
      { event: "tool.started", data: { toolCallId: hookRunId("t1"), at: 2 } },
      { event: "tool.output", data: { toolCallId: hookRunId("t1"), stream: "stdout", offset: 0, text: "x" } },
    ]),
  );
  const ended = reduce(state, { event: "tool.ended", data: { toolCallId: hookRunId("t1") } });
  expect(ended.live).toMatchObject({ started: { c1: { at: 1 } }, output: {} });
  for (const { live } of [ended, dropLive(state)]) expect(Object.keys(live.started)).toEqual(["c1"]);
});
