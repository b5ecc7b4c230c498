// Tests that `npm test` only samples run completely in `npm run test:all` or `npm run test:length`, for which
// they need a tag.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tags, tagsOf } from "../../../scripts/test/layers.ts";

const folder = join(import.meta.dirname, "../..");

test("every file that samples its inputs has a test with a tag that a longer command runs", () => {
  const sampling = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => /from "[./]*\/harness\/runs\.ts"/.test(readFileSync(join(folder, name), "utf8")));
  expect(sampling.length).toBeGreaterThan(20);
  const untagged = sampling.filter(
    (name) => !/"(random|seeds)"/.test(readFileSync(join(folder, name), "utf8")),
  );
  expect(untagged).toEqual([]);
});

test("a file that asks for a third number of inputs has a test with the tag that test:length runs", () => {
  const third = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }))
    .filter(({ text }) => /\b(?:runs|spread)\([^;]+?, [\d_]+, [\d_]+\)/.test(text));
  expect(third.filter(({ text }) => !/"seeds"/.test(text)).map(({ name }) => name)).toEqual([]);
  expect(third.length).toBeGreaterThan(5);
});

test("whatever its tags, every test is run by one of the commands", () => {
  const names = tags.map(({ name }) => name);
  for (let bits = 0; bits < 2 ** names.length; bits += 1) {
    const some = names.filter((_, at) => bits & (1 << at));
    const by = Object.values(tagsOf).filter(({ runs }) => runs(some));
    expect([some, by.length > 0]).toEqual([some, true]);
  }
});
