import { expect, test } from "vitest";
import { branchNameOf } from "../../../shared/branch-name.ts";

test.each([
  ["Dates as they are\nThe day west of Greenwich is right.", "handrail/dates-as-they-are"],
  ["\n Ünder  Größe! ", "handrail/under-gro-e"],
  ["one two three four five six seven eight nine ten", "handrail/one-two-three-four-five-six-seven-eight"],
  ["!?", "handrail/session"],
])("a branch is named after the first line of %j", (title, name) => {
  expect(branchNameOf(title)).toBe(name);
});
