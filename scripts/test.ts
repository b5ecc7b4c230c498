// `npm test [filter …]`: gets what the tests need, builds, runs every layer, counts over all of them.
import { build, root } from "./build.ts";
import { prepareTools } from "./test/get-tools.ts";
import { type Count, inWords, runLayer, sum } from "./test/layers.ts";

/** From the quick to the slow, so that a plain mistake shows first. */
const layers = ["unit", "contract", "sandbox", "worker", "deno", "e2e", "fault"];

const startedAt = Date.now();
const { tools, report } = prepareTools();
for (const line of report) console.log(line);

// Building sets NODE_ENV for itself; the tests get the environment as it was.
const env = { ...process.env, ...(tools.chromium ? { HANDRAIL_CHROMIUM: tools.chromium } : {}) };
const made = await build();
console.log(made.length > 0 ? `built: ${made.join(", ")}` : "built before, no source has changed");

const counts: [layer: string, count: Count][] = [];
for (const layer of layers) {
  if (layer === "e2e" && !tools.chromium) continue;
  counts.push([layer, await runLayer(root, layer, process.argv.slice(2), env)]);
}

console.log("");
for (const line of report.filter((line) => line.includes("LEFT OUT"))) console.log(line);
for (const [layer, count] of counts) console.log(`${layer.padEnd(10)} ${inWords(count)}`);
const total = sum(counts.map(([, count]) => count));
console.log(`in ${Math.round((Date.now() - startedAt) / 1000)} s`);
console.log(inWords(total));
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
