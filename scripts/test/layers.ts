// The table of test layers, and the tests that each command runs.

import type { ToolGroup } from "../tools/get-tools.ts";

export interface Layer {
  /** Folder under `test/`, name of the vitest project, and value for `--project`. */
  name: string;
  /**
   * A test that takes longer has hung. The limit is a safety net and not an assertion: even on a loaded machine, the
   * slowest test takes far less.
   */
  timeoutMs: number;
  /**
   * Whether its files share a worker: with one worker for each file, the same modules would be loaded hundreds of
   * times.
   */
  shared?: boolean;
  /** Left out if no browser is available. */
  needsBrowser?: boolean;
  /** What its tests need besides the packages of `npm ci`; installed when the layer first runs. */
  tools?: readonly ToolGroup[];
  /** Paths, from the root, of scripts that run once before the whole layer. */
  globalSetup?: string[];
}

export const layers: readonly Layer[] = [
  { name: "unit", timeoutMs: 60_000, shared: true, tools: ["biome"] },
  { name: "contract", timeoutMs: 180_000, tools: ["deno", "workerd"] },
  { name: "sandbox", timeoutMs: 180_000, tools: ["workerd"] },
  { name: "worker", timeoutMs: 180_000, tools: ["workerd"] },
  { name: "deno", timeoutMs: 180_000, tools: ["deno"] },
  {
    name: "e2e",
    timeoutMs: 180_000,
    tools: ["workerd"],
    needsBrowser: true,
    globalSetup: ["test/e2e/shared-browser.ts"],
  },
  { name: "fault", timeoutMs: 180_000, tools: ["workerd"] },
  { name: "storm", timeoutMs: 180_000, tools: ["deno", "workerd"] },
];

/** The tags of a test: `test(name, { tags: "long" }, …)`, or on a `describe` for all tests in it. */
export const tags = [
  { name: "long", description: "left to `npm run test:all`" },
  { name: "random", description: "a few inputs in `npm test`, all of them in `npm run test:all`" },
  { name: "length", description: "left to `npm run test:length`" },
  {
    name: "seeds",
    description: "few inputs in `npm test`, more in `npm run test:all`, all in `npm run test:length`",
  },
];

/**
 * `sample` is `npm test`, `rest` is `npm run test:all`, `length` is `npm run test:length`. Together they run all tests,
 * and only tests that generate their own inputs run in more than one. vitest called directly runs every test that it is
 * given.
 */
export type Extent = "sample" | "rest" | "length";

const some = (tags: readonly string[], ...wanted: string[]) => wanted.some((tag) => tags.includes(tag));

export const tagsOf: Readonly<Record<Extent, { filter: string; runs(tags: readonly string[]): boolean }>> = {
  sample: { filter: "!long && !length", runs: (tags) => !some(tags, "long", "length") },
  rest: {
    filter: "(long || random || seeds) && !length",
    runs: (tags) => some(tags, "long", "random", "seeds") && !some(tags, "length"),
  },
  length: { filter: "length || seeds", runs: (tags) => some(tags, "length", "seeds") },
};
