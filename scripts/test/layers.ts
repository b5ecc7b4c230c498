// The one table of test layers, and of the tests that each command runs.

import type { ToolGroup } from "../tools/get-tools.ts";

export interface Layer {
  /** Folder under `test/`, vitest project, and the word for `--project`. */
  name: string;
  /** A test that takes longer hangs: a net, not an assertion. Even on a loaded machine the slowest ends far below it. */
  timeoutMs: number;
  /** Its files share a worker: one of their own for each reads the same modules hundreds of times. */
  shared?: boolean;
  /** Left out where no browser can be had. */
  needsBrowser?: boolean;
  /** What its tests need beside the packages of `npm ci`; installed the first time that the layer runs. */
  tools?: readonly ToolGroup[];
  /** Started once for the whole layer; path from the root. */
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

/** What a test is marked with: `test(name, { tags: "long" }, …)`, on a `describe` for all in it. */
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
 * `sample` is `npm test`, `rest` is `npm run test:all`, `length` is `npm run test:length`: together they run everything,
 * and only what has inputs of its own runs in more than one. vitest called by hand runs everything that it is pointed at.
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
