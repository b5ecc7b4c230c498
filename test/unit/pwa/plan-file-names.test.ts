import { expect, test } from "vitest";
import { planFileNames } from "../../../pwa/session/plan-file-names.ts";

const day = new Date(2026, 10, 3);

test("a plan file is named after its day and title, with a number if the name is taken", () => {
  expect(planFileNames({ goal: "Größere Grenzen: je Token!\nmore" }, day).slice(0, 2)).toEqual([
    "plans/2026-11-03-gro-ere-grenzen-je-token.md",
    "plans/2026-11-03-gro-ere-grenzen-je-token-2.md",
  ]);
});

test("a title without letters of the alphabet still gives a name", () => {
  expect(planFileNames({ goal: "計画" }, day)[0]).toBe("plans/2026-11-03-plan.md");
});
