// Forms in which models write calls that are almost valid, each with its source:
// test/fixtures/nearly-calls.jsonl.
import { readFileSync } from "node:fs";
import * as z from "zod/mini";

/**
 * `calls`: the calls that run, as [tool, arguments]; `told`: a pattern of the message to the model if nothing
 * runs.
 */
const NearlyCall = z.object({
  name: z.string(),
  seen: z.string(),
  text: z.string(),
  calls: z.optional(z.array(z.tuple([z.string(), z.record(z.string(), z.unknown())]))),
  told: z.optional(z.string()),
});

const file = new URL("../../fixtures/nearly-calls.jsonl", import.meta.url);

export const nearlyCalls = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => z.parse(NearlyCall, JSON.parse(line)));
