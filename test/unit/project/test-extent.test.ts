// What `npm test` only samples is run whole by `npm run test:all`: for that its test needs the tag.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tagsOf } from "../../../scripts/test/layers.ts";

const folder = join(import.meta.dirname, "../..");

test("every file that samples its inputs has a test with the tag that test:all looks for", () => {
  const sampling = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => /from "[./]*\/harness\/runs\.ts"/.test(readFileSync(join(folder, name), "utf8")));
  expect(sampling.length).toBeGreaterThan(20);
  const untagged = sampling.filter((name) => !/"random"/.test(readFileSync(join(folder, name), "utf8")));
  expect(untagged).toEqual([]);
});

test("whatever its tags, a test is run by npm test or by test:all", () => {
  for (const tags of [[], ["long"], ["random"], ["long", "random"]])
    expect([tags, tagsOf.sample.runs(tags) || tagsOf.rest.runs(tags)]).toEqual([tags, true]);
});
