// A sampling whose retries all fail ends its turn with an explanation. That is no error of the engine if the
// network caused it, and one in all other cases.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../shared/session/session-state.ts";
import { runCase } from "./case.ts";
import { nodeHost, workerHost } from "./edge-life.ts";
import { judge, undisturbed } from "./judge.ts";
import { SandboxHouse } from "./lanes.ts";
import { scenarios } from "./scenarios.ts";
import { storyOf, triesOfOneSampling } from "./story.ts";

let house: SandboxHouse;
beforeAll(async () => {
  house = await SandboxHouse.open();
});
afterAll(() => house.close());

const tried = scenarios.map((scenario, n) => ({ scenario, host: n % 2 === 0 ? workerHost : nodeHost }));

for (const { scenario, host } of tried)
  test(`${scenario.name} on ${host.runtime}: whichever sampling is lost three times, the person continues and the transcript is the same`, {
    tags: "long",
  }, async () => {
    const baseline = await undisturbed(house, { scenario, host });
    const lane = await house.lane();
    for (let lost = 1; lost <= baseline.asked; lost += 1) {
      const faults = Array.from(
        { length: triesOfOneSampling },
        (_, n) => ({ at: lost + n, of: "edge>model send", kind: "cut" }) as const,
      );
      const planned = { seed: lost, scenario, host, stopsElsewhere: false, faults };
      const result = await runCase(lane, planned);
      expect(judge(scenario, result, baseline), `sampling ${lost}`).toEqual([]);
      expect(result.cuts).toBe(triesOfOneSampling);
    }
  });

test("a turn that fails with attempts left counts as a different transcript", () => {
  const failed: Entry[] = [
    {
      turnId: "a",
      id: 1,
      event: "turn.failed",
      data: { error: { code: "model_error", message: "", retryable: true, requestId: "r" } },
    },
  ];
  expect(storyOf(failed, "case1", 0)).toContain("turn.failed");
  expect(storyOf(failed, "case1", 1)).toBe("");
});
