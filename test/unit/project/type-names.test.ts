// Each type's name is declared only once, so that a search for it finds one meaning.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
/** Declarations at the top level of a file: types, classes, and schemas, which share their type's name. */
const declared =
  /^(?:export )?(?:(?:interface|type|(?:abstract )?class) ([A-Z]\w*)|const ([A-Z]\w*) = z\.)/gm;

test("no two files declare a type of the same name", () => {
  const places = new Map<string, Set<string>>();
  for (const part of ["functions", "sandbox", "shared", "pwa", "demo", "scripts"])
    for (const name of readdirSync(join(root, part), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(name) || /^sample|node_modules/.test(name)) continue;
      for (const [, type, schema] of readFileSync(join(root, part, name), "utf8").matchAll(declared)) {
        const key = type ?? schema ?? "";
        places.set(key, (places.get(key) ?? new Set()).add(`${part}/${name}`));
      }
    }
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, files]) => files.size > 1).map(([key, files]) => [key, ...files])).toEqual(
    [],
  );
});
