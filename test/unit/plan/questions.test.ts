import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Question } from "../../../shared/plan/question.ts";
import {
  checkQuestions,
  interpretAnswer,
  interpretAnswers,
  renderQuestions,
} from "../../../shared/plan/questions.ts";

const options = ["A", "B", "C", "D"].map((label) => ({ label }));
const single: Question = { id: "db", label: "Database", prompt: "Which?", type: "single_select", options };
const multi: Question = { id: "os", label: "Systems", prompt: "Which?", type: "multi_select", options };
const free: Question = { id: "name", label: "Name", prompt: "What name?", type: "free_text" };

describe("answers", () => {
  test.each<[string, Question, string, string, number[] | undefined]>([
    ["one number", single, "2", "B", [2]],
    ["a number with space around it", single, " 4\n", "D", [4]],
    ["a number with leading zeros", single, "01", "A", [1]],
    ["words", single, "the one we have", "the one we have", undefined],
    ["words that begin with a number", single, "2 but smaller", "2 but smaller", undefined],
    ["a number with a sign", single, "-1", "-1", undefined],
    ["words with commas", multi, "B, or so", "B, or so", undefined],
    ["several numbers", multi, "1,3,4", "A, C, D", [1, 3, 4]],
    ["numbers with space between", multi, " 1 , 3,4 ", "A, C, D", [1, 3, 4]],
    ["the same number twice", multi, "1,1", "A", [1]],
    ["numbers in any order", multi, "4,1", "A, D", [1, 4]],
    ["one number of many", multi, "3", "C", [3]],
    ["words to a free question", free, " Kim's app ", " Kim's app ", undefined],
    ["a number to a free question", free, "1,3", "1,3", undefined],
  ])("%s: %s", (_name, question, raw, answer, picked) => {
    expect(interpretAnswer(question, raw)).toEqual({ ok: true, answer, ...(picked ? { picked } : {}) });
  });

  test.each<[string, Question, string, string]>([
    ["two numbers for one choice", single, "1,3", "choose one number, 1 to 4"],
    ["the same number twice for one choice", single, "2,2", "choose one number"],
    ["zero", single, "0", "no option 0"],
    ["a number above the last", single, "6", "no option 6; choose from 1 to 4"],
    ["a very long number", single, "9".repeat(400), "no option"],
    ["the number of none alone", single, "5", "type the answer itself"],
    ["the number of none alone, for several", multi, "5", "type the answer itself"],
    ["the words of none", multi, "(None) Type your answer", "type the answer itself"],
    ["one number of several wrong", multi, "1,9", "no option 9"],
    ["none beside other numbers", multi, "1,5", "5 (none) does not go with other numbers"],
    ["numbers without commas", multi, "1 3", "separate numbers with single commas"],
    ["an empty place between commas", multi, "1,,3", "separate numbers with single commas"],
    ["only a comma", single, ",", "separate numbers with single commas"],
    ["nothing", single, "", "an answer is missing"],
    ["only space", free, " \n", "an answer is missing"],
  ])("%s is asked again", (_name, question, raw, problem) => {
    const result = interpretAnswer(question, raw);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problem).toContain(problem);
  });

  test("anything typed is an option's number, the person's own text, or asked again", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(single, multi),
        fc.oneof(fc.string(), fc.stringMatching(/^[0-9, ]{0,8}$/)),
        (question, raw) => {
          const result = interpretAnswer(question, raw);
          if (!result.ok) return;
          if (result.picked)
            expect(result.answer).toBe(result.picked.map((number) => options[number - 1]?.label).join(", "));
          else expect(result.answer).toBe(raw.trim());
        },
      ),
    );
  });
});

describe("a batch of answers", () => {
  test("becomes decisions in the order of the questions", () => {
    const answers = [
      { id: "name", raw: "Kim" },
      { id: "os", raw: "1,2" },
      { id: "db", raw: "3" },
    ];
    expect(interpretAnswers([single, multi, free], answers)).toEqual({
      ok: true,
      decisions: [
        { id: "db", label: "Database", answer: "C" },
        { id: "os", label: "Systems", answer: "A, B" },
        { id: "name", label: "Name", answer: "Kim" },
      ],
    });
  });

  test("says which answers are wrong, missing, given twice, or to no question", () => {
    const answers = [
      { id: "db", raw: "9" },
      { id: "name", raw: "a" },
      { id: "name", raw: "b" },
      { id: "x", raw: "1" },
    ];
    expect(interpretAnswers([single, multi, free], answers)).toEqual({
      ok: false,
      problems: [
        { id: "db", problem: "there is no option 9; choose from 1 to 4, or type your answer" },
        { id: "name", problem: "answered twice" },
      ],
      missing: ["os"],
      unknown: ["x"],
    });
  });
});

describe("a model's questions", () => {
  const ask = (questions: unknown, summary?: unknown, summaryRequired = false) =>
    checkQuestions({ questions, ...(summary === undefined ? {} : { summary }) }, { summaryRequired });

  test("get ids where they have none, plain options, and lose options that mean none or other", () => {
    const questions = [
      {
        label: "DB",
        prompt: "Which\none?",
        type: "single_select",
        options: ["A", { title: "B", description: "b" }, "Other (please specify)"],
      },
      {
        id: "q1",
        label: "OS",
        question: "Which?",
        type: "multi-select",
        options: ["A", "None of the above", "something else"],
      },
      { label: "Name", prompt: "Which?", options: [] },
    ];
    expect(ask(questions, "one\n\n two ")).toEqual({
      ok: true,
      summary: "one\ntwo",
      questions: [
        {
          id: "q2",
          label: "DB",
          prompt: "Which one?",
          type: "single_select",
          options: [{ label: "A" }, { label: "B", description: "b" }],
        },
        { id: "q1", label: "OS", prompt: "Which?", type: "multi_select", options: [{ label: "A" }] },
        { id: "q3", label: "Name", prompt: "Which?", type: "free_text" },
      ],
    });
  });

  test("may have four options beside one that means none", () => {
    expect(ask([{ ...single, options: [...options, { label: "None" }] }]).ok).toBe(true);
  });

  test.each([
    "None",
    "(none)",
    "Other",
    "others",
    "Other: please specify",
    "None of these",
    "(None) Type your answer",
    "Something else",
    "Custom answer",
  ])("%s means none", (label) => {
    expect(ask([{ ...single, options: [{ label: "A" }, { label }] }])).toMatchObject({
      questions: [{ options: [{ label: "A" }] }],
    });
  });

  test.each(["None yet", "Other database", "Nonexistent", "Customer", "No preference"])(
    "%s is an option like any other",
    (label) => {
      expect(ask([{ ...single, options: [{ label }] }])).toMatchObject({
        questions: [{ options: [{ label }] }],
      });
    },
  );

  test.each<[string, unknown, string]>([
    ["none at all", [], "1 to 5 questions"],
    [
      "six",
      Array.from({ length: 6 }, (_, index) => ({ ...free, id: `q${index}`, label: `L${index}` })),
      "6 questions are too many",
    ],
    ["one id twice", [single, { ...free, id: "db" }], "two questions have the id db"],
    ["one label twice", [single, { ...free, label: "Database" }], 'two questions have the label "Database"'],
    ["a select without options", [{ ...single, options: [] }], "question db needs 1 to 4 options"],
    [
      "a select with nothing but none",
      [{ ...single, options: [{ label: "Other" }] }],
      "question db needs 1 to 4 options",
    ],
    [
      "a select with five options",
      [{ ...single, options: [...options, { label: "E" }] }],
      "has 5 options; at most 4",
    ],
    [
      "an option twice",
      [{ ...single, options: [{ label: "A" }, { label: " A" }] }],
      'has the option "A" twice',
    ],
    ["an option without a label", [{ ...single, options: [{ label: " " }] }], "an option without a label"],
    ["free text with options", [{ ...free, options }], "is free text and takes no options"],
    ["no prompt", [{ ...free, prompt: " " }], "question name needs a prompt"],
    ["a prompt that is no text", [{ ...free, prompt: 3 }], "`questions.0.prompt` must be text"],
    ["a label that is missing", [{ ...free, label: undefined }], "`questions.0.label` must be text"],
    ["an unknown type", [{ ...free, type: "slider" }], "`questions.0.type` must be one of single_select"],
    ["no list", "what now?", "`questions` must be a list"],
  ])("%s: an error message", (_name, questions, problem) => {
    const result = ask(questions);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problem).toContain(problem);
  });

  test("need a summary of one to three lines during execution", () => {
    expect(ask([free], undefined, true)).toMatchObject({
      ok: false,
      problem: expect.stringContaining("`summary` is required"),
    });
    expect(ask([free], " \n ", true).ok).toBe(false);
    expect(ask([free], "a\nb\nc", true)).toMatchObject({ ok: true, summary: "a\nb\nc" });
    expect(ask([free], "a\nb\nc\nd", true)).toMatchObject({
      ok: false,
      problem: "`summary` has 4 lines; at most 3",
    });
    expect(ask([free], null)).not.toHaveProperty("summary");
  });

  test("are the same after a second check", () => {
    const first = ask([single, { ...multi, id: undefined }, free]);
    expect(first.ok && checkQuestions({ questions: first.questions }, { summaryRequired: false })).toEqual(
      first,
    );
  });
});

test("questions are shown like this where answers are typed", () => {
  const described: Question = {
    ...single,
    options: [{ label: "SQLite", description: "One file, no server" }, { label: "Postgres" }],
  };
  expect(
    renderQuestions([described, { ...multi, options: [{ label: "Linux" }] }, free]),
  ).toMatchInlineSnapshot(`
    "1) **Database** (single-select): Which?
       1. SQLite
          One file, no server
       2. Postgres
       3. (None) Type your answer
          Next
    2) **Systems** (multi-select): Which?
       1. Linux
       2. (None) Type your answer
          Next
    3) **Name** (free-text): What name?"
  `);
});
