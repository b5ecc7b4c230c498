// A person's inputs in any order.
// @module-tag long
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { runs } from "../harness/runs.ts";
import { runSequence, type Tally } from "./sequences/any-sequence.ts";
import { acts } from "./sequences/random-acts.ts";

/** The number of sequences in one run. HANDRAIL_SEQUENCES=5000 makes a long one. */
const numRuns = runs(Number(process.env.HANDRAIL_SEQUENCES || 60), 20, 20);

let model: ModelServer;
let edge: RunningEdge;
beforeAll(async () => {
  model = await startModelServer([{ text: "nothing scripted" }]);
  edge = await startEdge(model.url);
});
afterAll(async () => {
  await edge.close();
  await model.close();
});

test("any inputs in any order leave a valid history, one plan, one mode, and prompts that extend the previous one", {
  tags: "seeds",
  timeout: 180_000 + numRuns * 2_000,
}, async () => {
  const tally: Tally = { ran: 0, refused: {} };
  await fc.assert(
    fc.asyncProperty(acts, (sequence) => runSequence(edge, model, sequence, tally)),
    { numRuns },
  );
  // The generators must reach the states that they are meant to reach.
  expect(tally.ran).toBeGreaterThan(numRuns);
  expect(Object.keys(tally.refused)).toEqual(expect.arrayContaining(["stale_plan", "invalid_request"]));
  if (process.env.HANDRAIL_SEQUENCES) console.error(JSON.stringify(tally));
});
