import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import type { OpenSession } from "../../../pwa/session/open-session.ts";
import {
  commentTexts,
  planComments,
  quoteKey,
  setComment,
  withoutText,
} from "../../../pwa/session/plan-comments.ts";
import { type Draft, emptyDraft } from "../../../pwa/storage/draft.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import { makePlan } from "../plan/plan-fixture.ts";

function sessionWith(): OpenSession {
  const draft = signal<Draft>(emptyDraft);
  const setDraft = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change };
  };
  return { draft, setDraft } as Partial<OpenSession> as OpenSession;
}

const [step] = makePlan().steps;
if (!step) throw new Error("the plan has no step");

const version = (hash: string, ...titles: string[]): Plan => ({
  ...makePlan(),
  hash,
  steps: titles.map((description, index) => ({ ...step, id: `s${index + 1}`, description })),
});

describe("comments on a plan that changes before they are sent", () => {
  const first = version("a", "Write the note", "Test it");
  const commented = () => {
    const session = sessionWith();
    setComment(session, first, "s1", "In German");
    setComment(session, first, "s2", "With umlauts");
    setComment(session, first, quoteKey("some words"), "Which?");
    return session;
  };

  test("stay with the steps that are unchanged, and with what was quoted", () => {
    const next = version("b", "Write the note", "Test it", "Say so");
    expect(planComments(commented(), next)).toEqual([
      { stepId: "s1", text: "In German" },
      { stepId: "s2", text: "With umlauts" },
      { quote: "some words", text: "Which?" },
    ]);
  });

  test("are sent as about the text of a step that is gone or changed", () => {
    const next = version("b", "Delete the note");
    expect(planComments(commented(), next)).toEqual([
      { quote: "Write the note", text: "In German" },
      { quote: "Test it", text: "With umlauts" },
      { quote: "some words", text: "Which?" },
    ]);
  });

  test("are all still there once another one is written on the new version, and can be removed", () => {
    const session = commented();
    const next = version("b", "Delete the note");
    setComment(session, next, "s1", "Never");
    expect(planComments(session, next)).toHaveLength(4);
    setComment(session, next, quoteKey("Write the note"), "");
    expect(Object.keys(commentTexts(session, next))).toHaveLength(3);
  });

  test("that an earlier version of the app stored name the step by its id where that is gone", () => {
    const session = sessionWith();
    session.setDraft({ stepComments: { hash: "a", texts: { s1: "In German", s9: "Lost?" } } });
    expect(planComments(session, version("b", "Write the note"))).toEqual([
      { stepId: "s1", text: "In German" },
      { quote: "step s9 of an earlier version", text: "Lost?" },
    ]);
  });
});

test("a step whose id is the name of a property that every object has is without comments, and gets one", () => {
  const session = sessionWith();
  const plan = { ...version("a", "Split the class"), steps: [{ ...step, id: "constructor" }] };
  expect(planComments(session, plan)).toEqual([]);
  setComment(session, plan, "constructor", "In two");
  expect(planComments(session, plan)).toEqual([{ stepId: "constructor", text: "In two" }]);
});

describe("a point that is removed from a comment", () => {
  const point = "No way back.";

  test.each([
    ["last", `Mine.\n\nMore of mine.\n${point}`, "Mine.\n\nMore of mine."],
    ["first", `${point}\nMine.\n\nMore.`, "Mine.\n\nMore."],
    ["in between", `Mine.\n${point}\n\nMore.`, "Mine.\n\nMore."],
    ["within a line", `Mine.\n${point} Right!\nMore.`, "Mine.\n Right!\nMore."],
    ["alone", point, ""],
    ["beside nothing but space", `\n${point}\n `, ""],
    ["deleted already", " \n", ""],
  ])("%s: what the person wrote is unchanged", (_, comment, left) => {
    expect(withoutText(comment, point)).toBe(left);
  });

  test("is not looked for where the person has changed its text", () => {
    expect(withoutText("Mine.\nNo way back, says critic.", point)).toBeUndefined();
  });
});
