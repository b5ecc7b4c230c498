import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { TurnEvent } from "../../../shared/event.ts";
import type { Message } from "../../../shared/message.ts";
import { historyForTurn } from "../../../shared/session/history.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession, type SessionState } from "../../../shared/session/session-state.ts";
import { sessionSummary } from "../../../shared/session/session-summary.ts";
import { buildTurnRequest } from "../../../shared/session/turn-request.ts";
import { TurnRequest } from "../../../shared/turn.ts";
import { assistant, numbered, planningTurn, started, toolResult, user, workingTurn } from "./events.ts";

function fold(events: readonly TurnEvent[], from: SessionState = emptySession()): SessionState {
  return events.reduce(reduce, from);
}

describe("the summary of a session", () => {
  test("that is new", () => {
    expect(sessionSummary(emptySession())).toEqual({ text: "New · nothing said yet", mark: "hollow" });
  });

  test("that waits for its plan", () => {
    expect(sessionSummary(fold(planningTurn))).toEqual({
      text: "Waiting for you: plan of 2 steps",
      mark: "waiting",
    });
  });

  test("that runs a step names it and the command", () => {
    const at = workingTurn.findIndex((event) => event.event === "tool.output");
    expect(sessionSummary(fold(workingTurn.slice(0, at), fold(planningTurn)))).toEqual({
      text: "Step 1 of 2 · running `npm test`",
      mark: "running",
    });
  });

  test("that checks a step names the check, and no call once its model is asked again", () => {
    const check = { command: "npm test -- limiter", limitMs: 300_000 };
    const checking = fold([
      ...numbered([
        started("t1"),
        assistant("a1", "", [["c1", "update_plan", { steps: [{ id: "s1", status: "done" }] }]]),
      ]),
      { event: "tool.started", data: { toolCallId: "c1", at: 1, check } },
    ]);
    expect(sessionSummary(checking).text).toBe("Working · checking `npm test -- limiter`");
    const asked = fold([{ event: "model.wait", data: { at: 2 } }], checking);
    expect(sessionSummary(asked).text).toBe("Working");
    const late = fold([{ event: "tool.ended", data: { toolCallId: "c1", outOfTime: true } }], checking);
    expect(sessionSummary(late).text).toBe("Working · the check ran out of time");
  });

  test("that is done counts files and lines", () => {
    const edit = numbered([
      started("t1"),
      user("u1", "Fix"),
      assistant("a1", "", [["c1", "edit_file", { path: "a.ts" }]]),
      toolResult("c1", "edit_file", { files: [{ path: "a.ts", added: 14, removed: 6, diff: "" }] }),
      { event: "turn.done", data: { reason: "stop", rounds: 1 } },
    ]);
    expect(sessionSummary(fold(edit))).toEqual({ text: "Done · 1 file, +14 −6", mark: "done" });
  });

  test("whose command may have run asks for the person", () => {
    const state = fold(
      numbered([
        started("t1"),
        assistant("a1", "", [["c1", "run_command", { command: "npm install" }]]),
        {
          event: "permission",
          data: {
            toolCallId: "c1",
            name: "run_command",
            arguments: '{"command":"npm install"}',
            risk: "outcome_unknown",
            why: "",
          },
        },
        { event: "turn.done", data: { reason: "permission", rounds: 1 } },
      ]),
    );
    expect(sessionSummary(state)).toEqual({ text: "Needs you: `npm install` may have run", mark: "failed" });
  });

  test("that runs while a later call needs approval waits for the person, until it is decided", () => {
    const args = { command: "git push" };
    const events = numbered([
      started("t1"),
      assistant("a1", "", [
        ["c1", "run_command", { command: "npm test" }],
        ["c2", "run_command", args],
      ]),
      {
        event: "permission",
        data: {
          toolCallId: "c2",
          name: "run_command",
          arguments: JSON.stringify(args),
          risk: "remote",
          why: "",
        },
      },
      { event: "turn.done", data: { reason: "permission", rounds: 1 } },
    ]);
    // At the end the turn has reached the call, and the decision has not been sent yet.
    for (const state of [fold(events.slice(0, -1)), fold(events)]) {
      expect(sessionSummary(state)).toEqual({ text: "Waiting for you: allow `git push`?", mark: "waiting" });
      expect(sessionSummary(state, () => true)).toEqual({
        text: "Working · running `npm test`",
        mark: "running",
      });
    }
  });

  describe("that waits for a permission names", () => {
    const asked = (name: string, args: object, why: string, also: object = {}) =>
      sessionSummary(
        fold(
          numbered([
            started("t1"),
            assistant("a1", "", [["c1", name, args]]),
            {
              event: "permission",
              data: {
                ...{ toolCallId: "c1", name, arguments: JSON.stringify(args), risk: "destructive", why },
                ...also,
              },
            },
            { event: "turn.done", data: { reason: "permission", rounds: 1 } },
          ]),
        ),
      ).text;

    test("the command", () => {
      expect(asked("run_command", { command: "rm -r a\n" }, "")).toBe("Waiting for you: allow `rm -r a`?");
    });

    test("a script's description, not its first line", () => {
      const command = "set -e\ngit reset --hard\ngit clean -fd";
      const why = "`git reset` throws away work.\n`git clean` deletes files.";
      expect(asked("run_command", { command }, why)).toBe(
        "Waiting for you: allow a script: `git reset`, `git clean`?",
      );
      expect(asked("run_command", { command }, "It deletes.")).toBe("Waiting for you: allow `set -e …`?");
    });

    test("a tool of an MCP server, and none of its arguments", () => {
      const also = { risk: "mcp", commands: ['find_issue {\n  "query": "dates"\n}'] };
      expect(asked("mcp__tracker__find_issue", { query: "dates" }, "`find_issue` is a tool.", also)).toBe(
        "Waiting for you: use the tool `find_issue`?",
      );
    });

    test("the file that would be written, not a tool", () => {
      const args = { path: ".vscode/launch.json", content: "{}", base: null };
      expect(asked("write_file", args, "Why.")).toBe("Waiting for you: write `.vscode/launch.json`?");
    });
  });

  test("in which a command ran is not called read-only; a refused command does not count", () => {
    const ran = numbered([
      started("t1"),
      assistant("a1", "", [["c1", "run_command", { command: "npm test" }]]),
      toolResult("c1", "run_command", { exitCode: 1, timedOut: false }),
      assistant("a2", "", [["c2", "run_command", { command: "rm -rf ." }]]),
      toolResult("c2", "run_command", { code: "denied" }),
      { event: "turn.done", data: { reason: "stop", rounds: 1 } },
    ]);
    expect(sessionSummary(fold(ran))).toEqual({ text: "Done · 1 command", mark: "done" });
  });

  test("in which nothing changed", () => {
    const read = numbered([
      started("t1"),
      user("u1", "Explain"),
      assistant("a1", "So"),
      { event: "turn.done", data: { reason: "stop", rounds: 1 } },
    ]);
    expect(sessionSummary(fold(read)).text).toBe("Answered · 2 messages");
  });
});

describe("a turn's request", () => {
  const parts = {
    turnId: "t1",
    attempt: 1,
    after: 0,
    sandboxId: "sb1",
    mode: "plan" as const,
    model: null,
    messages: [],
    plan: null,
    input: { type: "message" as const, text: "Hi" },
    toolProtocol: "text" as const,
  };

  test("is what the engine parses, and carries the learned call protocol", () => {
    const body = z.parse(TurnRequest, buildTurnRequest(parts));
    expect(body).toMatchObject({ protocol: 1, turnId: "t1", options: { toolProtocol: "text" } });
  });

  test("carries nothing but the protocol's fields, whatever else is stored beside them", () => {
    const kept = { ...parts, state: "sent", historyCount: 3 };
    expect(z.safeParse(TurnRequest, buildTurnRequest(kept)).success).toBe(true);
  });

  test("of a later attempt differs in attempt and after alone", () => {
    const { attempt, after, ...again } = buildTurnRequest({ ...parts, attempt: 2, after: 7 });
    const { attempt: _attempt, after: _after, ...first } = buildTurnRequest(parts);
    expect([attempt, after]).toEqual([2, 7]);
    expect(again).toEqual(first);
  });
});

test("after a summarization marker the history is its beginning, the current plan and the rest", () => {
  const event = (id: string, subkind: string): Message => ({
    id,
    role: "event",
    content: "",
    createdAt: 1,
    mode: "normal",
    extra: { event: { subkind, source: "", data: {} } },
  });
  const said = (id: string): Message => ({ id, role: "user", content: "x", createdAt: 1, mode: "normal" });
  const messages = [
    said("u1"),
    said("u2"),
    event("d1", "plan_delta"),
    event("m1", "summarization_marker"),
    said("u3"),
    event("m2", "summarization_marker"),
    said("u4"),
  ];
  expect(historyForTurn(messages).map(({ id }) => id)).toEqual(["u1", "d1", "m2", "u4"]);
  expect(historyForTurn(messages.slice(0, 2))).toHaveLength(2);
});
