import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdits } from "../../../shared/hashline/apply.ts";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { splitText, withoutCr } from "../../../shared/hashline/text.ts";
import { runs } from "../../harness/runs.ts";
import { mustApply, mustReject, ref } from "./text-of.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";
const at = (number: number): string => ref(text, number);
const moved = (edit: Omit<Extract<Edit, { op: "move" }>, "op">, live = text) =>
  mustApply({ live, edits: [{ op: "move", ...edit }] });

describe("move", () => {
  test("takes lines out and puts them before or after another", () => {
    expect(moved({ at: at(2), to: at(3), after: at(5) }).text).toBe("one\nfour\nfive\ntwo\nthree\n");
    expect(moved({ at: at(4), before: at(1) })).toMatchObject({
      text: "four\none\ntwo\nthree\nfive\n",
      added: 1,
      removed: 1,
      warnings: [],
    });
  });

  test("works with other edits of the same request, whose references mean the same rows", () => {
    const edits: Edit[] = [
      { op: "move", at: at(1), after: at(4) },
      { op: "replace", at: at(4), lines: ["FOUR"] },
      { op: "insert_before", at: at(5), lines: ["four and a half"] },
    ];
    const wanted = "two\nthree\nFOUR\none\nfour and a half\nfive\n";
    expect(mustApply({ live: text, edits }).text).toBe(wanted);
    expect(mustApply({ live: text, edits: edits.toReversed() }).text).toBe(wanted);
  });

  test("shows the ends of what moved, and both places", () => {
    const live = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join("");
    const { rows } = moved({ at: ref(live, 3), to: ref(live, 40), after: ref(live, 58) }, live);
    expect(rows.replace(/^\d+[a-z]{3}\|/gm, "").split("\n")).toEqual([
      ...["line 1", "line 2", "line 41", "line 42", "...", "line 57", "line 58"],
      ...["line 3", "line 4", "… 34 rows as moved", "line 39", "line 40", "line 59", "line 60"],
    ]);
  });

  test("keeps what a clipped row did not show", () => {
    const long = `short\n${"x".repeat(5_000)}\nend\n`;
    expect(moved({ at: ref(long, 2), after: ref(long, 3) }, long).text).toBe(
      `short\nend\n${"x".repeat(5_000)}\n`,
    );
  });

  test("to no place, to two, or among its own lines is refused with a message", () => {
    const refused = (edit: object) =>
      mustReject({ live: text, edits: [{ op: "move", at: at(2), to: at(4), ...edit } as Edit] });
    for (const places of [{}, { before: at(1), after: at(5) }])
      expect(refused(places)).toMatchObject({
        reason: "bad_reference",
        message: expect.stringContaining("names one place"),
      });
    expect(refused({ after: at(3) })).toMatchObject({ reason: "overlap" });
    expect(refused({ before: at(2) })).toMatchObject({ reason: "no_change" });
    expect(refused({ after: "9foo" }).message).toContain(`edits[0] move ${at(2)} to ${at(4)} after 9foo`);
  });

  test("is refused where either place has changed since", () => {
    const edits: Edit[] = [{ op: "move", at: at(2), after: at(4) }];
    for (const live of [text.replace("two", "2"), text.replace("four", "4")])
      expect(mustReject({ base: text, live, edits }).reason).toBe("stale_lines");
    const above = `zero\n${text}`;
    expect(mustApply({ base: text, live: above, edits }).text).toBe("zero\none\nthree\nfour\ntwo\nfive\n");
  });
});

test("with a refused anchor says where its text is now", () => {
  const live = `a\nb\n${text}`;
  const refusal = mustReject({ live, edits: [{ op: "delete", at: at(3) }] });
  const anchor = at(3).slice(1);
  expect(refusal.message).toContain(`not ${anchor} (${anchor}: line 5)`);
  const twins = "x\ny\nx\nx\nx\nx\n";
  const other = ref(twins, 1).slice(1);
  expect(mustReject({ live: twins, edits: [{ op: "delete", at: `2${other}` }] }).message).toContain(
    `(${other}: lines 1, 3, 4 and 2 more)`,
  );
  const gone = mustReject({ live: text, edits: [{ op: "delete", at: `1${at(2).slice(1)}` }] });
  expect(gone.message).toContain(`${at(2).slice(1)}: line 2`);
  expect(mustReject({ live: "q\n", edits: [{ op: "delete", at: `1${at(2).slice(1)}` }] }).message).toContain(
    `${at(2).slice(1)}: on no line now`,
  );
});

test("equals a deletion and an insertion of the same lines for random files, and in a changed file", {
  tags: "random",
}, () => {
  const line = fc.constantFrom("", "a", "b", "  c", "}", "d", "e", "f\r", "# Note:");
  const file = fc.array(line, { minLength: 1, maxLength: 14 });
  const change = fc.record({ at: fc.nat(14), remove: fc.nat(2), lines: fc.array(line, { maxLength: 2 }) });
  const wish = fc.record({ from: fc.nat(), more: fc.nat(4), to: fc.nat(), above: fc.boolean() });
  fc.assert(
    fc.property(
      file,
      fc.boolean(),
      fc.array(change, { maxLength: 2 }),
      wish,
      (lines, ends, changes, move) => {
        const textOf = (all: readonly string[]): string => all.join("\n") + (ends ? "\n" : "");
        const base = textOf(lines);
        const total = splitText(base).lines.length;
        if (total === 0) return;
        const now = [...lines];
        for (const one of changes) now.splice(one.at, one.remove, ...one.lines);
        const live = textOf(now);
        const first = 1 + (move.from % total);
        const last = Math.min(total, first + move.more);
        const target = ref(base, 1 + (move.to % total));
        const [start, end] = [ref(base, first), ref(base, last)];
        const texts = splitText(base)
          .lines.slice(first - 1, last)
          .map(withoutCr);
        const one = applyEdits({
          ...{ base, live },
          edits: [
            { op: "move", at: start, to: end, ...(move.above ? { before: target } : { after: target }) },
          ],
        });
        const two = applyEdits({
          ...{ base, live },
          edits: [
            { op: "delete", at: start, to: end },
            { op: move.above ? "insert_before" : "insert_after", at: target, lines: texts },
          ],
        });
        if (one.ok && two.ok) expect(one.text).toBe(two.text);
        else expect(one.ok).toBe(two.ok);
      },
    ),
    { numRuns: runs(5_000, 300) },
  );
});
