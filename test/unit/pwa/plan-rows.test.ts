import { describe, expect, test } from "vitest";
import { versionInWords } from "../../../pwa/transcript/plan-words.ts";
import { readEdit } from "../../../pwa/transcript/read-edit.ts";
import type { Row } from "../../../pwa/transcript/rows.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { changesOfRun } from "../../../pwa/transcript/turn-changes.ts";
import type { DurableDraft, TurnEvent } from "../../../shared/event.ts";
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

/** What the engine makes of a rejection in words. */
function rejecting(id: string, text: string): ReturnType<typeof user> {
  const said = user(id, text, "plan");
  if (said.event === "message" && said.data.message.role === "user") said.data.message.rejects = "hash";
  return said;
}

describe("a rejection", () => {
  test("leaves a line above what was said", () => {
    const turn = numbered([started("t2", "plan"), draft, rejecting("u2", "Smaller, please")]);
    expect(words([...planningTurn, ...turn])).toEqual([
      "> Plan it",
      "You rejected version 1",
      "> Smaller, please",
    ]);
  });

  test("without a word is the line alone", () => {
    const turn = numbered([
      started("t2", "plan"),
      draft,
      user("u2", "Rejected. Plan it another way.", "plan"),
    ]);
    expect(words([...planningTurn, ...turn])).toEqual(["> Plan it", "You rejected version 1"]);
  });

  test("is not what is said about a proposal, nor an approval", () => {
    const comment = numbered([started("t2", "plan"), user("u2", "And why?", "plan")]);
    expect(words([...planningTurn, ...comment])).toEqual(["> Plan it", "> And why?"]);
    expect(words([...planningTurn, ...workingTurn]).join()).not.toContain("rejected");
  });

  test("is none where the plan was changed and somebody spoke, and nobody rejected it", () => {
    const turn = numbered([started("t2", "plan"), draft, user("u2", "Go on", "plan")]);
    expect(words([...planningTurn, ...turn]).join()).not.toContain("rejected");
  });

  test("is told after a talk in another mode as well", () => {
    const talk = numbered([started("t2"), user("u2", "What is this?")]);
    const turn = numbered([started("t3", "plan"), draft, rejecting("u3", "No")]);
    expect(words([...planningTurn, ...talk, ...turn])).toContain("You rejected version 1");
  });
});

test("what the engine looked at first stands beneath the message that began the run", () => {
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
  // Nothing is drawn that would have to move.
  expect(words(events.slice(0, 2))).toEqual([]);
});

describe("the changes at the end", () => {
  test("are those of the run that ended", () => {
    expect(changesOfRun(fold([...planningTurn, ...workingTurn]).entries)).toEqual({
      "a.ts": { added: 3, removed: 1 },
    });
  });

  test("are none once something else was said", () => {
    const talk = numbered([started("t3"), user("u3", "Thanks")]);
    expect(changesOfRun(fold([...planningTurn, ...workingTurn, ...talk]).entries)).toEqual({});
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
  test("is a plan with steps, what was done included", () => {
    const [first, second] = plan().steps;
    if (first === undefined || second === undefined) throw new Error("no steps");
    const before = plan({ steps: [{ ...first, status: "done" }, second] });
    const read = readEdit(before, "# Goal\n\nLess\n\n# Plan\n\n1. [s1] Step s1\n2. Something new");
    expect(read.ok && read.plan.steps.map(({ description, status }) => [description, status])).toEqual([
      ["Step s1", "done"],
      ["Something new", "pending"],
    ]);
  });

  test("that does not read names its line", () => {
    expect(readEdit(plan(), "# Goal\n\nLess\n\n# Unheard of")).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^Line 5: unknown heading/),
    });
  });
});
