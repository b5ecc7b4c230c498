// Commands of a plan that contain hidden characters are refused wherever a plan enters, and again when it is
// approved.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSeen, hidesCommand } from "../../../functions/plan/check-plan.ts";
import { installPlan, markdownPlan } from "../../../shared/plan/set-plan.ts";
import { applyUpdate } from "../../../shared/plan/update-plan.ts";
import { planText, proposedText } from "../../../shared/plan/written-plan.ts";
import { runs } from "../../harness/runs.ts";
import { planInput } from "./plan-arbitrary.ts";

const hash = "a".repeat(64);
const blanks = " ".repeat(400);

/** Each would run something different from, or more than, what a person reads. */
const hostile: readonly (readonly [string, string, string])[] = [
  ["an override", "npm test \u202e# ;x mr", "U+202E"],
  ["an embedding", "npm test \u202b#", "U+202B"],
  ["a left-to-right override", "npm\u202d test", "U+202D"],
  ["a pop", "npm\u202c test", "U+202C"],
  ["a left-to-right isolate", "echo \u2066; rm x", "U+2066"],
  ["a right-to-left isolate", "echo \u2067; rm x", "U+2067"],
  ["a first-strong isolate", "echo \u2068; rm x", "U+2068"],
  ["the end of an isolate", "echo \u2069; rm x", "U+2069"],
  ["a left-to-right mark", "np\u200em test", "U+200E"],
  ["a right-to-left mark", "np\u200fm test", "U+200F"],
  ["an Arabic letter mark", "np\u061cm test", "U+061C"],
  ["a space without width", "npm\u200b test", "U+200B"],
  ["a joiner between letters", "n\u200dpm test", "U+200D"],
  ["a non-joiner between letters", "n\u200cpm test", "U+200C"],
  ["a word joiner", "npm\u2060 test", "U+2060"],
  ["an invisible times", "npm\u2062 test", "U+2062"],
  ["a byte order mark", "npm\ufeff test", "U+FEFF"],
  ["a soft hyphen", "rm te\u00admp", "U+00AD"],
  ["a grapheme joiner", "n\u034fpm test", "U+034F"],
  ["a Mongolian separator", "npm\u180e test", "U+180E"],
  ["a Mongolian variant", "npm\u180b test", "U+180B"],
  ["a Khmer vowel", "npm\u17b4 test", "U+17B4"],
  ["a tag", "npm test\u{e0020}\u{e003b}", "U+E0020"],
  ["a language tag", "npm test\u{e0001}", "U+E0001"],
  ["a variation selector", "npm\ufe0f test", "U+FE0F"],
  ["a further variation selector", "npm\u{e0100} test", "U+E0100"],
  ["a Hangul filler", "npm\u3164test", "U+3164"],
  ["a half-width Hangul filler", "npm\uffa0test", "U+FFA0"],
  ["a choseong filler", "npm\u115ftest", "U+115F"],
  ["a jungseong filler", "npm\u1160test", "U+1160"],
  ["an empty braille cell", "npm\u2800test", "U+2800"],
  ["a space that does not break", "rm -rf a\u00a0b", "U+00A0"],
  ["a figure space", "rm -rf a\u2007b", "U+2007"],
  ["a hair space", "rm -rf a\u200ab", "U+200A"],
  ["a narrow space", "rm -rf a\u202fb", "U+202F"],
  ["a mathematical space", "rm -rf a\u205fb", "U+205F"],
  ["an ideographic space", "rm -rf a\u3000b", "U+3000"],
  ["an Ogham space", "rm -rf a\u1680b", "U+1680"],
  ["a next line", "true\u0085rm x", "U+0085"],
  ["a null", "true\u0000rm x", "U+0000"],
  ["a backspace", "rm x\u0008\u0008\u0008\u0008true", "U+0008"],
  ["an escape", "true \u001b[8m; rm x", "U+001B"],
  ["a delete", "true\u007f", "U+007F"],
  ["a terminal's control", "true\u009b8m", "U+009B"],
  ["a form feed", "true\u000cx", "U+000C"],
  ["a private character", "true \ue000", "U+E000"],
  ["an unassigned one", "true \u{50000}", "U+50000"],
  ["a noncharacter", "true \uffff", "U+FFFF"],
  ["an object that is not there", "true \ufffc", "U+FFFC"],
  ["a musical null", "true \u{1d159}", "U+1D159"],
  ["a musical beam", "true \u{1d173}", "U+1D173"],
  ["a shorthand overlap", "true \u{1bca0}", "U+1BCA0"],
  ["an Arabic number sign", "true \u0600", "U+0600"],
  ["an interlinear mark", "true \ufff9x\ufffb", "U+FFF9"],
  ["a stack of marks", `true${"\u0338".repeat(9)}`, "U+0338"],
  ["a mark on nothing", "true \u0338x", "U+0338"],
  ["a semicolon that is a question mark", "echo a\u037e rm x", "U+037E"],
  ["a backtick that is an accent", "echo \u1fefid\u1fef", "U+1FEF"],
  ["a Kelvin sign", "rm \u212aeep", "U+212A"],
  ["400 spaces", `npm test${blanks}; rm -rf x`, "400 spaces"],
  ["50 tabs", `npm test${"\t".repeat(50)}; rm -rf x`, "50 tabs"],
  ["300 line ends", `npm test${"\n".repeat(300)}rm -rf x`, "300 line ends"],
  ["emoji that are joined to nothing", "echo 😀\u200d😀", "U+200D"],
  ["a flag that spells", "echo 🏴\u{e0072}\u{e006d}\u{e0020}\u{e0078}\u{e0079}\u{e007f}", "U+E0072"],
];

const step = (command: string) => ({ id: "s1", description: "Test", checkpoint: { command } });

describe("a command with", () => {
  test.each(hostile)("%s is refused in a plan, in a text plan, in an update", (_, command, name) => {
    const words = `holds ${name}`;
    const inSteps = planText({ goal: "Test", steps: [step(command)] });
    expect(inSteps.ok ? "accepted" : inSteps.problem).toContain(
      `the command of the check of step s1 ${words}`,
    );
    const atEnd = planText({ goal: "Test", steps: ["Test"], checkpoints: ["by eye", { command }] });
    expect(atEnd.ok ? "accepted" : atEnd.problem).toContain(`plan's checkpoint 2 ${words}`);
    const indented = command.replaceAll("\n", "\n     ");
    const text = `# Plan\n\n1. [s1] Test\n   - check: ${indented}`;
    const asText = markdownPlan(text);
    // A text's lines also end at other characters, and blank ones are folded, so the rest is read like any
    // other text.
    if (!asText.ok) expect(asText.problem).toContain("holds ");
    else expect(hidesCommand(installPlan(null, { ...asText, hash, source: "model" }))).toBe(false);
    const plan = installed({ goal: "Test", steps: [step("npm test")] });
    for (const change of [
      { steps: [{ id: "s1", checkpoint: { command } }] },
      { addSteps: [{ ...step(command), id: "s2" }] },
    ]) {
      const updated = applyUpdate(plan, change);
      expect(updated.ok ? "accepted" : updated.problem).toContain(words);
    }
  });

  test.each(hostile)("%s is not approved, however it got into the plan", (_, command, name) => {
    const plan = installed({ goal: "Test", steps: [step("npm test")] });
    const [first] = plan.steps;
    if (first === undefined) throw new Error("no step");
    const posted = { ...plan, steps: [{ ...first, checkpoint: { command } }] };
    expect(hidesCommand(posted)).toBe(true);
    expect(() => checkSeen(posted)).toThrow(`holds ${name}`);
    const ends = { ...plan, checkpoints: [{ command }] };
    expect(() => checkSeen(ends)).toThrow(`holds ${name}`);
  });
});

test("a text with such a command that must become a plan all the same has no commands", () => {
  const plan = proposedText("# Plan\n\n1. Test\n   - check: npm test \u202e# x");
  expect(plan.body).toMatchObject({ steps: [], checkpoints: [] });
  expect(plan.markdown).toContain("npm test");
});

test("the commands that run are those of the hashed text", () => {
  const plan = installed({
    goal: "Test",
    steps: [step("npm test")],
    checkpoints: [{ command: "npm run lint" }],
  });
  const [first] = plan.steps;
  if (first === undefined) throw new Error("no step");
  expect(() => checkSeen(plan)).not.toThrow();
  for (const other of [
    { ...plan, steps: [{ ...first, checkpoint: { command: "npm publish" } }] },
    { ...plan, steps: [{ ...first, checkpoint: null }] },
    { ...plan, steps: [first, { ...first, id: "s2" }] },
    { ...plan, checkpoints: [{ command: "npm publish" }] },
    { ...plan, checkpoints: [] },
  ])
    expect(() => checkSeen(other)).toThrow("their checks are not those of plan.markdown");
});

test("no plan that was installed or updated is refused at its approval", { tags: "random" }, () => {
  fc.assert(
    fc.property(planInput, planInput, (input, more) => {
      const made = planText(input);
      fc.pre(made.ok);
      const plan = installPlan(null, { ...made, hash, source: "model" });
      checkSeen(plan);
      const updated = applyUpdate(plan, {
        addSteps: more.steps.map(({ id: _id, ...content }) => content),
        note: "more",
      });
      if (updated.ok) checkSeen(updated.plan);
    }),
    { numRuns: runs(2_000, 150) },
  );
});

function installed(args: unknown) {
  const made = planText(args);
  if (!made.ok) throw new Error(made.problem);
  return installPlan(null, { ...made, hash, source: "model" });
}
