// The order in which test files start. vitest's own goes by the times of earlier runs and, on a fresh machine, by size: the
// suites of a runtime are three lines that run for minutes, and would begin last.
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { layers } from "./layers.ts";

/** Files that take longest, by the end of their paths. */
const longest = [
  "worker/turns.test.ts",
  "deno/turns.test.ts",
  "fault/fault.test.ts",
  "contract/turns.test.ts",
  "worker/resume.test.ts",
  "deno/resume.test.ts",
  "contract/long-session.test.ts",
  "contract/resume.test.ts",
  "sandbox/taken-out.test.ts",
  "e2e/sheets.test.ts",
  "e2e/keyboard.test.ts",
  "sandbox/left-behind.test.ts",
  "contract/start.test.ts",
  "contract/demo.test.ts",
  "sandbox/disk-quota.test.ts",
  "sandbox/crash.test.ts",
  "e2e/interruptions-server.test.ts",
  "e2e/accessibility.test.ts",
  "fault/given-up.test.ts",
];

/** From the last layer of the table to the first: those of short files fill the end. */
function rank({ moduleId, project }: TestSpecification): number {
  const place = longest.findIndex((end) => moduleId.endsWith(end));
  if (place >= 0) return place;
  return longest.length + layers.length - layers.findIndex(({ name }) => name === project.name);
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
