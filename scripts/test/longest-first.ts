// The order in which test files start. vitest sorts by the times of earlier runs or, on a fresh machine, by size. The
// suites of a runtime have three lines but run for minutes, so they would start last.
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { layers } from "./layers.ts";

/** The files that take longest, by the end of their paths. */
const longest = [
  "contract/engines/resume.test.ts",
  "sandbox/conformance-engines.test.ts",
  "worker/left-turns.test.ts",
  "contract/engines/docker.test.ts",
  "contract/engines-cloudflare.test.ts",
  "contract/turns.test.ts",
  "contract/turns-rail.test.ts",
  "contract/turns-plans.test.ts",
  "contract/turns-models.test.ts",
  "contract/turns-at-length.test.ts",
  "worker/turns-at-length.test.ts",
  "deno/turns-at-length.test.ts",
  "worker/turns.test.ts",
  "deno/turns.test.ts",
  "contract/resume.test.ts",
  "fault/fault.test.ts",
  "worker/resume.test.ts",
  "deno/resume.test.ts",
  "sandbox/shared-repository.test.ts",
  "e2e/sessions.test.ts",
  "e2e/composer.test.ts",
  "e2e/interruptions.test.ts",
  "e2e/sheets.test.ts",
  "e2e/keyboard.test.ts",
  "e2e/interruptions-server.test.ts",
  "e2e/accessibility.test.ts",
  "e2e/day.test.ts",
  "e2e/layout.test.ts",
  "sandbox/taken-out.test.ts",
  "sandbox/left-behind.test.ts",
  "sandbox/disk-quota.test.ts",
  "sandbox/crash.test.ts",
  "contract/start.test.ts",
  "contract/demo.test.ts",
  "sandbox/jail.test.ts",
  "sandbox/conformance-archive.test.ts",
  "e2e/call-states.test.ts",
  "contract/http.test.ts",
  "worker/http.test.ts",
  "deno/http.test.ts",
  "contract/long-session.test.ts",
  "contract/sequences.test.ts",
  "fault/lost-samplings.test.ts",
];

/** From the last layer of the table to the first, so that layers with short files fill the end. */
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
