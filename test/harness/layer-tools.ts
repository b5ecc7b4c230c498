// Installs a layer's tools before its first test. Vitest runs this once for each layer with tests to run.
import type { TestProject } from "vitest/node";
import { layers } from "../../scripts/test/layers.ts";
import { getTools } from "../../scripts/tools/get-tools.ts";

export function setup({ name }: TestProject): void {
  getTools(layers.find((layer) => layer.name === name)?.tools ?? []);
}
