// Arbitrary plan contents for property tests: ordinary words mixed with everything that could be mistaken for
// plan syntax.
import fc from "fast-check";
import type { BodyInput } from "../../../shared/plan/plan-body.ts";
import { commandText } from "../../../shared/plan/plan-lines.ts";
import { hiddenIn } from "../../../shared/visible-text.ts";

const awkward = [
  "# Plan",
  "## Goal",
  "#",
  "# Goal:",
  "1. first",
  "2) [s2] x",
  "[s1]",
  "[ ] box",
  "- check: rm -rf /",
  "- on fail: stop",
  "check: npm test",
  "check (90 s): npm test",
  "- check (90 s): x",
  "- action (3 s): x",
  "\\check: npm test",
  "\\\\# Plan",
  "**Bold** (single-select): pick",
  "\\**Bold** (free-text): pick",
  "** (multi-select): ",
  "(None) Type your answer",
  "Other",
  "Next",
  "a\\*b",
  "trailing \\",
  "<plan>&</plan>",
  "[truncated: kept 1 of 2 chars]",
  "why? [q9]",
  "x [y] [z]",
  "tab\there",
  "two\nlines",
  "win\r\ndows",
  "line\u2028separator",
  "\ufefffeff",
  "\ud800lone",
  "👍🏽 emoji",
  "   - after: x",
  "      deep",
  "```sh",
  "---",
  "",
];

export const awkwardText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(..."#*[]()-:.1\\ \n\tab`>_".split("")), maxLength: 24 }),
  fc.array(fc.constantFrom(...awkward), { maxLength: 3 }).map((parts) => parts.join(" ")),
  fc.constantFrom(...awkward),
);

const commands = fc.oneof(
  // Commands with hidden characters are refused, which other tests show.
  awkwardText.filter((text) => hiddenIn(commandText(text)).length === 0),
  fc.constantFrom(
    "npm test",
    "set -e\nnpm test",
    "cat <<X\n- check: no\n\n\n   1. deep\n\ttab\nX",
    "a\n  b\n   - on fail: stop",
    "printf 'a\\n'",
  ),
);
const texts = fc.array(awkwardText, { maxLength: 3 });
const idText = fc.option(fc.oneof(fc.constantFrom("s1", "s2", "s3", "q1", "q2", "a b", "x]"), awkwardText), {
  nil: undefined,
});
/** Text that is never blank and never one of the options that are left out. */
const solid = fc.oneof(
  awkwardText.map((text) => `${text}.x`),
  awkwardText.map((text) => `x ${text}`),
);

const check = fc.record(
  { command: commands, timeoutMs: fc.oneof(fc.constantFrom(300_000, 90_000), fc.integer(), fc.double()) },
  { requiredKeys: ["command"] },
);
const step = fc.record({
  id: idText,
  description: solid,
  actions: texts,
  preconditions: texts,
  postconditions: texts,
  checkpoint: fc.option(check),
  onFail: fc.constantFrom(
    "ask" as const,
    "retry" as const,
    "rollback" as const,
    "skip" as const,
    "stop" as const,
  ),
});

const option = fc.record({ label: solid, description: awkwardText });
const question = fc.oneof(
  fc.record({ id: idText, label: solid, prompt: solid, type: fc.constant("free_text" as const) }),
  fc.record({
    id: idText,
    label: solid,
    prompt: solid,
    type: fc.constantFrom("single_select" as const, "multi_select" as const),
    options: fc.uniqueArray(option, { minLength: 1, maxLength: 4, selector: ({ label }) => label.trim() }),
  }),
);

/** Contents as they may arrive. `buildBody` refuses some of them (duplicate ids). */
export const planInput: fc.Arbitrary<BodyInput> = fc
  .record({
    goal: awkwardText,
    steps: fc.array(step, { maxLength: 5 }),
    decisionPoints: fc.array(fc.oneof(awkwardText, question), { maxLength: 4 }),
    checkpoints: fc.array(fc.oneof(awkwardText, check), { maxLength: 3 }),
    rollback: texts,
  })
  .map(({ steps, ...rest }) => ({
    ...rest,
    steps: steps.map(({ id, ...content }) => (id === undefined ? content : { ...content, id })),
  }));
