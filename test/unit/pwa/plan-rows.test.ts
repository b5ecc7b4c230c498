import { describe, expect, test } from "vitest";
import { versionInWords } from "../../../pwa/transcript/plan-words.ts";
import { readEdit } from "../../../pwa/transcript/read-edit.ts";
import type { Row } from "../../../pwa/transcript/rows.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { runMayHaveChanged } from "../../../pwa/transcript/turn-changes.ts";
import type { DurableDraft, TurnEvent } from "../../../shared/event.ts";
import type { ToolMessage } from "../../../shared/message.ts";
import type { Plan, StepStatus } from "../../../shared/plan/plan-file.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, plan, planningTurn, started, user, workingTurn } from "../session/events.ts";

function fold(events: readonly TurnEvent[]) {
  return events.reduce(reduce, emptySession());
}

function words(events: readonly TurnEvent[]): string[] {
  const { entries, head } = fold(events);
  return transcriptRows(entries, head.plan).flatMap((row: Row) =>
    row.kind === "note" ? [row.text] : row.kind === "user" ? [`> ${row.message.content}`] : [],
  );
}

const draft: DurableDraft = { event: "plan", data: { plan: plan({ status: "draft" }) } };

/** The events of a rejection in words, as the engine writes them. */
function rejecting(id: string, text: string): ReturnType<typeof user> {
  const said = user(id, text, "plan");
  if (said.event === "message" && said.data.message.role === "user") said.data.message.rejects = "hash";
  return said;
}

describe("a rejection", () => {
  test("shows a line above the feedback", () => {
    const turn = numbered([started("t2", "plan"), draft, rejecting("u2", "Smaller, please")]);
    expect(words([...planningTurn, ...turn])).toEqual([
      "> Plan it",
      "You rejected version 1",
      "> Smaller, please",
    ]);
  });

  test("without feedback is the line alone", () => {
    const turn = numbered([
      started("t2", "plan"),
      draft,
      user("u2", "Rejected. Plan it another way.", "plan"),
    ]);
    expect(words([...planningTurn, ...turn])).toEqual(["> Plan it", "You rejected version 1"]);
  });

  test("is not shown for a comment on a proposal, nor for an approval", () => {
    const comment = numbered([started("t2", "plan"), user("u2", "And why?", "plan")]);
    expect(words([...planningTurn, ...comment])).toEqual(["> Plan it", "> And why?"]);
    expect(words([...planningTurn, ...workingTurn]).join()).not.toContain("rejected");
  });

  test("is not shown where the plan changed after a message, and nobody rejected it", () => {
    const turn = numbered([started("t2", "plan"), draft, user("u2", "Go on", "plan")]);
    expect(words([...planningTurn, ...turn]).join()).not.toContain("rejected");
  });

  test("is shown after a talk in another mode as well", () => {
    const talk = numbered([started("t2"), user("u2", "What is this?")]);
    const turn = numbered([started("t3", "plan"), draft, rejecting("u3", "No")]);
    expect(words([...planningTurn, ...talk, ...turn])).toContain("You rejected version 1");
  });
});

test("the engine's first scan is shown below the message that started the run", () => {
  const scan: DurableDraft = {
    event: "message",
    data: {
      message: {
        id: "t1.scan",
        role: "event",
        content: "Looked at the repository.\n\nFiles to depth 2:\na.ts",
        createdAt: 1,
        mode: "plan",
        extra: { event: { subkind: "system_notice", source: "context_scan", data: {} } },
      },
    },
  };
  const events = numbered([started("t1", "plan"), scan, user("u1", "Plan it", "plan")]);
  expect(words(events)).toEqual(["> Plan it", "Looked at the repository."]);
  // No row is drawn that would later have to move.
  expect(words(events.slice(0, 2))).toEqual([]);
});

describe("the changes at the end", () => {
  const ran = (id: string, mode: "plan" | "normal", name: string, facts: object): DurableDraft => ({
    event: "message",
    data: {
      message: {
        ...{ id, role: "tool", toolCallId: id, name, ok: true, content: "", createdAt: 1, mode },
        meta: { round: 1, maxRounds: 9, contextTokens: 1, budgetTokens: 9, facts },
      } as ToolMessage,
    },
  });
  const asked = [started("t3"), user("u3", "Thanks")];
  const shownAfter = (...results: DurableDraft[]) =>
    runMayHaveChanged(fold([...planningTurn, ...workingTurn, ...numbered([...asked, ...results])]).entries);

  test("are shown after a run with edits, and none once something else was said", () => {
    expect(runMayHaveChanged(fold([...planningTurn, ...workingTurn]).entries)).toBe(true);
    expect(shownAfter()).toBe(false);
  });

  test("are shown after a run with commands only, which may have changed files too", () => {
    expect(shownAfter(ran("c1", "normal", "run_command", { exitCode: 0 }))).toBe(true);
  });

  test("are not shown after a run that only read, was refused, or planned", () => {
    expect(shownAfter(ran("c1", "normal", "read_file", { path: "a.ts" }))).toBe(false);
    expect(shownAfter(ran("c1", "normal", "run_command", { code: "denied" }))).toBe(false);
    expect(shownAfter(ran("c1", "plan", "run_command", { exitCode: 0 }))).toBe(false);
  });
});

describe("a plan's version", () => {
  test.each([
    [[], "version 1"],
    [[{ note: "seen" }, { steps: [{ id: "s1", status: "done" as const }] }], "version 1"],
    [[{ removeSteps: ["s2"] }], "version 1 · changed once"],
    [[{ removeSteps: ["s2"] }, { steps: [{ id: "s1", description: "x" }] }], "version 1 · changed twice"],
  ])("says how often it was changed: %j", (deltas, said) => {
    const numberedDeltas = deltas.map((delta, index) => ({ seq: index + 1, ...delta }));
    expect(versionInWords(plan({ deltas: numberedDeltas }))).toBe(said);
  });
});

describe("an edit of a plan's text", () => {
  test("is a plan with steps, done ones included", () => {
    const [first, second] = plan().steps;
    if (first === undefined || second === undefined) throw new Error("no steps");
    const before = plan({ steps: [{ ...first, status: "done" }, second] });
    const read = readEdit(before, "# Goal\n\nLess\n\n# Plan\n\n1. [s1] Step s1\n2. Something new");
    expect(read.ok && read.plan.steps.map(({ description, status }) => [description, status])).toEqual([
      ["Step s1", "done"],
      ["Something new", "pending"],
    ]);
  });

  test("that cannot be parsed names its line", () => {
    expect(readEdit(plan(), "# Goal\n\nLess\n\n# Unheard of")).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^Line 5: unknown heading/),
    });
  });
});

describe("the steps of two consecutive plans with the same ids", () => {
  const step = (stepId: string, status: StepStatus): DurableDraft => ({
    event: "step",
    data: { stepId, status },
  });
  const planOf = (version: number, words: string, changed: Partial<Plan> = {}) =>
    plan({
      version,
      hash: `h${version}`,
      goal: words,
      supersedes: version === 1 ? null : version - 1,
      steps: plan().steps.map((each) => ({ ...each, description: `${words} ${each.id}` })),
      ...changed,
    });
  const install = (installed: Plan): DurableDraft[] => [
    { event: "plan", data: { plan: installed } },
    {
      event: "message",
      data: {
        message: {
          id: `plan:${installed.version}`,
          role: "plan",
          content: "",
          createdAt: 1,
          mode: "plan",
          extra: { plan: installed },
        },
      },
    },
  ];
  const report = (data: Record<string, unknown>): DurableDraft => ({
    event: "message",
    data: {
      message: {
        id: `report ${JSON.stringify(data).length}`,
        role: "event",
        content: "Finished: First",
        createdAt: 1,
        mode: "normal",
        extra: { event: { subkind: "verifier_report", source: "finish", data } },
      },
    },
  });
  const finish = report({
    kind: "finish",
    version: 1,
    goal: "First",
    steps: [
      { id: "s1", description: "Changed s1", status: "done" },
      { id: "s3", description: "Added s3", status: "done" },
    ],
    checks: [],
    files: [],
    decisions: [],
    rollbacks: [],
  });
  const firstRun = [started("t1"), ...install(planOf(1, "First")), step("s1", "active"), step("s1", "done")];
  const stations = (events: readonly DurableDraft[], from = 0) => {
    const { entries, head } = fold(numbered(events));
    return transcriptRows(entries.slice(from), head.plan).flatMap((row) =>
      row.kind === "station" && row.status !== "pending"
        ? [[row.number, row.step?.description, row.status, row.left]]
        : [],
    );
  };

  test("keep the text of the plan they ran under", () => {
    const second = [...install(planOf(2, "Second")), step("s1", "active")];
    expect(stations([...firstRun, ...second])).toEqual([
      [1, "First s1", "done", false],
      [1, "Second s1", "active", false],
    ]);
    // An added step appears in the order in which it ran, including updates.
    const added = [step("s3", "active"), step("s3", "done")];
    expect(stations([...firstRun, ...added, finish, ...second])).toEqual([
      [1, "Changed s1", "done", false],
      [2, "Added s3", "done", false],
      [1, "Second s1", "active", false],
    ]);
  });

  test("do not take another plan's text where their own is not loaded", () => {
    const second = [...install(planOf(2, "Second")), step("s1", "active")];
    expect(stations([...firstRun, ...second], 2)[0]).toEqual([0, undefined, "done", false]);
    expect(stations([...firstRun, finish, ...second], 2)[0]).toEqual([1, "Changed s1", "done", false]);
  });

  test("are not changed by the next plan's reports", () => {
    const second = [...install(planOf(2, "Second")), step("s1", "skipped"), step("s2", "active")];
    expect(stations([...firstRun, step("s2", "active"), ...second])).toEqual([
      [1, "First s1", "done", false],
      [2, "First s2", "active", true],
      [1, "Second s1", "skipped", false],
      [2, "Second s2", "active", false],
    ]);
  });

  test("continue where a version changes only other steps", () => {
    const other = planOf(1, "First").steps.map((each) =>
      each.id === "s2" ? { ...each, description: "Another" } : each,
    );
    const next = [...install(planOf(2, "First", { steps: other })), step("s1", "active"), step("s1", "done")];
    const first = firstRun.slice(0, -1);
    expect(stations([...first, ...next])).toEqual([[1, "First s1", "done", false]]);
  });
});
