// Lines for each word of the tables and each condition that no other tested line needs: if one of them is removed, a
// verdict here changes.
import { expect, test } from "vitest";
import { networkNeed, riskToAsk } from "../../../functions/command-risk/command-risk.ts";
import { listedLines } from "./command-lines.ts";

/** In which of normal mode, auto mode, and auto mode without a wish for commits a line asks. */
const verdicts: Readonly<Record<string, string>> = {
  asks: "normal auto commits",
  undoable: "normal",
  quiet: "",
  commits: "commits",
};

test.each(Object.keys(verdicts))("lines for single words of the rules: %s", (kind) => {
  const lines = listedLines("words").filter((one) => one.kind === kind);
  const asked = lines.map(({ line }) => {
    const [normal, auto, commits] = [
      riskToAsk(line, "normal", []),
      riskToAsk(line, "auto", []),
      riskToAsk(line, "auto", [], undefined, false),
    ];
    return { line, in: [normal && "normal", auto && "auto", commits && "commits"].filter(Boolean).join(" ") };
  });
  expect(lines.length).toBeGreaterThan(5);
  expect(asked.filter((one) => one.in !== verdicts[kind])).toEqual([]);
});

test.each([
  ["network", true],
  ["offline", false],
])("lines for single words of what needs the network: %s", (kind, needs) => {
  const lines = listedLines("words").filter((one) => one.kind === kind);
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter(({ line }) => (networkNeed(line) !== undefined) !== needs)).toEqual([]);
});
