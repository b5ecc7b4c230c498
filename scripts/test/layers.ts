// The one table of test layers, and which of their tests each command runs.

import type { ToolGroup } from "../tools/get-tools.ts";

export interface Layer {
  /** Folder under `test/`, vitest project, and the word for `--project`. */
  name: string;
  /** A test that takes longer hangs: a net, not an assertion. Even on a loaded machine the slowest ends far below it. */
  timeoutMs: number;
  /** Left out where no browser can be had. */
  needsBrowser?: boolean;
  /** What its tests need beside the packages of `npm ci`; installed the first time that the layer runs. */
  tools?: readonly ToolGroup[];
  /** What is started once for the whole layer, by its path from the root. */
  globalSetup?: string[];
}

export const layers: readonly Layer[] = [
  { name: "unit", timeoutMs: 60_000, tools: ["biome"] },
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
];

/**
 * `sample` is `npm test`, `rest` is `npm run test:all`: together they run everything, and only what is random runs in
 * both. vitest called by hand runs everything that it is pointed at.
 */
export type Extent = "sample" | "rest";

export const tagsOf: Readonly<Record<Extent, { filter: string; runs(tags: readonly string[]): boolean }>> = {
  sample: { filter: "!long", runs: (tags) => !tags.includes("long") },
  rest: { filter: "long || random", runs: (tags) => tags.includes("long") || tags.includes("random") },
};
