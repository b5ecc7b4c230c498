import { describe, expect, test } from "vitest";
import { cardWords, lookedInWords } from "../../../pwa/transcript/call-words.ts";
import type { Row } from "../../../pwa/transcript/rows.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { DurableDraft, TurnEvent } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import {
  assistant,
  numbered,
  plan,
  planningTurn,
  started,
  toolResult,
  user,
  workingTurn,
} from "../session/events.ts";

function rowsOf(events: readonly TurnEvent[]): Row[] {
  const { entries, head } = events.reduce(reduce, emptySession());
  return transcriptRows(entries, head.plan);
}

const kinds = (rows: readonly Row[]) => rows.map(({ kind }) => kind);

test("consecutive quiet calls are summed up in one row", () => {
  const reads: [string, string, object][] = ["a", "b", "c"].map((path) => [path, "read_file", { path }]);
  const rows = rowsOf(
    numbered([
      started("t1"),
      user("u1", "Look"),
      assistant("a1", "", reads),
      ...reads.map(([id]) => toolResult(id, "read_file")),
      assistant("a2", "", [
        ["s1", "search_files", { pattern: "x" }],
        ["s2", "search_files", { pattern: "y" }],
      ]),
    ]),
  );
  expect(kinds(rows)).toEqual(["user", "looked"]);
  expect(rows[1]?.kind === "looked" && lookedInWords(rows[1].calls)).toBe("Read 3 files, searched twice");
});

test("a refused call has a card of its own that says so", () => {
  const refused = toolResult("c1", "write_file", {}, false);
  const rows = rowsOf(
    numbered([
      started("t1", "plan"),
      assistant("a1", "", [["c1", "write_file", { path: "a.ts" }]], "plan"),
      refused,
    ]),
  );
  const row = rows[0];
  if (row?.kind !== "call" || row.view.result === undefined) throw new Error("no card");
  const content = "error: tool `write_file` is not available in planning mode";
  expect(cardWords({ ...row.view, result: { ...row.view.result, content } })).toMatchObject({
    verb: "Refused",
    state: "refused",
  });
});

describe("a plan", () => {
  const installed = (version: number) => {
    const body = plan({ version, hash: `h${version}` });
    return [
      { event: "plan" as const, data: { plan: body } },
      {
        event: "message" as const,
        data: {
          message: {
            id: `p${version}`,
            role: "plan" as const,
            content: "",
            createdAt: 1,
            mode: "plan" as const,
            extra: { plan: body },
          },
        },
      },
    ];
  };

  test("is shown whole where it was proposed, an older version as a line", () => {
    const rows = rowsOf(
      numbered([
        started("t1", "plan"),
        ...installed(1),
        ...installed(2),
        { event: "proposal", data: { planVersion: 2, planHash: "h2" } },
      ]),
    ).filter((row) => row.kind === "plan");
    expect(rows.map((row) => [row.plan.version, row.newest, row.proposed])).toEqual([
      [1, false, false],
      [2, true, true],
    ]);
  });

  test("that is proposed again is shown once, where it was proposed last", () => {
    const proposal = { event: "proposal" as const, data: { planVersion: 1, planHash: "h1" } };
    const rows = rowsOf(
      numbered([started("t1", "plan"), ...installed(1), proposal, user("u1", "No"), proposal]),
    );
    expect(kinds(rows)).toEqual(["user", "plan"]);
  });
});

test("has each step's activity below its station, and the coming steps after it", () => {
  const until = workingTurn.findIndex((event) => event.event === "step" && event.data.status === "done");
  const rows = rowsOf([...planningTurn, ...workingTurn.slice(0, until)]);
  const stations = rows.filter((row) => row.kind === "station");
  expect(stations.map((row) => [row.stepId, row.status, kinds(row.rows).join()])).toEqual([
    ["s1", "active", "call,call"],
    ["s2", "pending", ""],
  ]);
});

describe("calls after a change of steps in one round", () => {
  const round: DurableDraft[] = [
    started("t1"),
    { event: "plan", data: { plan: plan({ status: "executing" }) } },
    { event: "step", data: { stepId: "s1", status: "active" } },
    assistant("a1", "Next.", [
      ["p1", "update_plan", {}],
      ["r1", "read_file", { path: "b.ts" }],
      ["w1", "write_file", { path: "b.ts" }],
    ]),
  ];
  const stations = (more: readonly DurableDraft[]) =>
    rowsOf(numbered([...round, ...more]))
      .filter((row) => row.kind === "station")
      .map((row) => [row.stepId, row.status, kinds(row.rows).join()]);

  test("are shown below the step that starts, with the text before it", () => {
    const more: DurableDraft[] = [
      { event: "step", data: { stepId: "s1", status: "done" } },
      { event: "step", data: { stepId: "s2", status: "active" } },
      toolResult("p1", "update_plan"),
      toolResult("r1", "read_file"),
      toolResult("w1", "write_file"),
    ];
    expect(stations(more)).toEqual([
      ["s1", "done", ""],
      ["s2", "active", "text,looked,call"],
    ]);
  });

  test("are not shown while the change waits for the person", () => {
    const risk = "destructive" as const;
    const data = { toolCallId: "p1", name: "update_plan", arguments: "{}", risk, why: "" };
    expect(stations([{ event: "permission", data }])[0]?.[2]).toBe("text");
  });

  test("are shown where they were made until the change is reported", () => {
    expect(stations([])[0]).toEqual(["s1", "active", "text,looked,call"]);
  });
});

describe("a call that needs approval", () => {
  const asked = numbered([
    started("t1"),
    assistant("a1", "", [["c1", "run_command", { command: "rm -rf x" }]]),
    {
      event: "permission",
      data: { toolCallId: "c1", name: "run_command", arguments: "{}", risk: "destructive", why: "" },
    },
    { event: "turn.done", data: { reason: "permission", rounds: 1 } },
  ]);

  test("is an ordinary call, waiting or decided: its state is shown beside its buttons", () => {
    expect(kinds(rowsOf(asked))).toEqual(["call"]);
    expect(kinds(rowsOf([...asked, ...numbered([started("t2")])]))).toEqual(["call"]);
  });
});

describe("a call that was denied", () => {
  const args = { command: "git push origin main" };
  const denied = toolResult("c1", "run_command", {}, false);
  if (denied.event === "message") denied.data.message.content = "denied by the person";
  const decision = {
    id: "t2.permit",
    role: "event" as const,
    content: "The person decided on run_command: deny.",
    createdAt: 1,
    mode: "normal" as const,
    extra: {
      event: {
        subkind: "tool_decision" as const,
        source: "person",
        data: { decision: "deny", toolCallId: "c1", tool: "run_command" },
      },
    },
  };
  const rows = rowsOf([
    ...numbered([started("t1"), assistant("a1", "", [["c1", "run_command", args]])]),
    ...numbered([started("t2"), { event: "message", data: { message: decision } }, denied]),
  ]);

  test("says that it was not run, and who denied it", () => {
    const card = rows.find((row) => row.kind === "call");
    expect(card && cardWords(card.view)).toMatchObject({
      verb: "Not run:",
      object: "git push origin main",
      why: "you denied it",
      state: "unrun",
    });
  });

  test("is named in the decision", () => {
    const note = rows.find((row) => row.kind === "note");
    expect(note?.text).toBe("You did not allow `git push origin main`");
  });
});

describe("a failed call to an engine tool", () => {
  const words = (name: string, content: string) => {
    const failed = toolResult("c1", name, {}, false);
    if (failed.event === "message") failed.data.message.content = content;
    const rows = rowsOf(
      numbered([
        started("t1"),
        { event: "plan", data: { plan: plan() } },
        assistant("a1", "", [["c1", name, {}]]),
        failed,
      ]),
    );
    const row = rows.find(({ kind }) => kind === "call");
    if (row?.kind !== "call") throw new Error("no card");
    const { verb, object, why = "", state } = cardWords(row.view);
    return `${state}: ${verb}${object}${why && ` · ${why}`}`;
  };

  test.each([
    [
      "update_plan",
      "Step s1 done.\nThe checkpoint of step s2 failed: `npm test`\nexit 1",
      "bad: Check of step 2 failed",
    ],
    ["update_plan", "error: update_plan: unknown step s9", "unrun: Plan not changed"],
    ["ask_user", "error: ask_user: no questions", "bad: Could not ask"],
    ["set_plan", "error: set_plan: no goal", "unrun: Plan not changed"],
    [
      "update_plan",
      "denied by the person\nThe plan stays as the person approved it, without what you wanted: Added Step 4: Publish.\nDo not ask again.",
      "unrun: Plan not changed · you kept it as it was",
    ],
  ])("%s is never shown by name: %s", (name, content, said) => {
    expect(words(name, content)).toBe(said);
  });
});

test("a stop is shown once", () => {
  const cut = assistant("a1", "Half a sent");
  if (cut.event === "message" && cut.data.message.role === "assistant") cut.data.message.finish = "aborted";
  const end = { event: "turn.done" as const, data: { reason: "stopped" as const, rounds: 1 } };
  expect(kinds(rowsOf(numbered([started("t1"), cut, end])))).toEqual(["text"]);
  expect(kinds(rowsOf(numbered([started("t1"), end])))).toEqual(["note"]);
});

test("an answer that ran out of tokens says so", () => {
  const cut = assistant("a1", "Half a sent");
  if (cut.event === "message" && cut.data.message.role === "assistant") cut.data.message.finish = "length";
  const rows = rowsOf(numbered([started("t1"), cut, assistant("a2", "Whole.")]));
  expect(rows).toMatchObject([{ cut: expect.stringContaining("Tell it to go on") }, { cut: undefined }]);
});

test("a notice about the person speaks to the person", () => {
  const notice = {
    id: "e1",
    role: "event" as const,
    content: "The person edited the plan: version 1 became version 2.",
    createdAt: 1,
    mode: "plan" as const,
    extra: { event: { subkind: "system_notice" as const, source: "plan_edit", data: {} } },
  };
  const [row] = rowsOf(numbered([started("t1"), { event: "message", data: { message: notice } }]));
  expect(row).toMatchObject({ text: "You edited the plan: version 1 became version 2." });
});

test.each([
  [{ ok: true }, { text: "Summarised older messages for the model", detail: "It counts." }],
  [{ ok: false }, { text: expect.stringContaining("could not be summarised"), detail: undefined }],
])("a summary by the model is a quiet line with its text on a tap: %j", (data, shown) => {
  const message = {
    id: "e1",
    role: "event" as const,
    content: "It counts.",
    createdAt: 1,
    mode: "normal" as const,
    extra: { event: { subkind: "system_notice", source: "model_summary", data } },
  };
  const [row] = rowsOf(numbered([started("t1"), { event: "message", data: { message } }]));
  expect(row).toMatchObject({ kind: "note", tone: "quiet", ...shown });
});
