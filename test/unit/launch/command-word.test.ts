import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandWord } from "../../../scripts/launch/command-word.ts";

/**
 * The package in the folder into which npx installs it. `manifest`: the file that npx writes next to
 * node_modules.
 */
function installed(manifest: string): string {
  const cache = mkdtempSync(join(tmpdir(), "handrail-word-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const root = join(cache, "_npx/325be361aff0396b/node_modules/handrail");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "../../package.json"), manifest);
  return root;
}

// The form in which npm 11.19 writes it.
const npx = (given: string) => JSON.stringify({ dependencies: {}, _npx: { packages: [given] } });

test.each([
  [npx("handrail"), "npx handrail"],
  [npx("handrail@0.3.0"), "npx handrail@0.3.0"],
  [npx("./handrail-0.3.0.tgz"), "npx ./handrail-0.3.0.tgz"],
  [npx("/a b/it's.tgz"), "npx '/a b/it'\\''s.tgz'"],
  ["{}", "npx handrail"],
])("remedies name the command that npx was given: %s", (manifest, word) => {
  expect(commandWord(installed(manifest))).toBe(word);
});

test("an installed package is started by its name", () => {
  expect(commandWord("/usr/lib/node_modules/handrail")).toBe("handrail");
});
