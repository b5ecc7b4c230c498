// `npm test [filter …]`, `npm run test:all [filter …]`, `npm run test:length [filter …]`: installs what the tests need,
// builds, runs the layers, and prints the totals.
import { build, root } from "./build.ts";
import { prepareTools } from "./test/get-tools.ts";
import { type Extent, layers } from "./test/layers.ts";
import { inWords, runTests, sum } from "./test/run-tests.ts";

const startedAt = Date.now();
const extents: Readonly<Record<string, Extent>> = { "--rest": "rest", "--length": "length" };
const extent = extents[process.argv[2] ?? ""] ?? "sample";
const { tools, report } = prepareTools();
for (const line of report) console.log(line);

// The build sets NODE_ENV, but the tests need the original environment.
const env = { ...process.env, ...(tools.chromium ? { HANDRAIL_CHROMIUM: tools.chromium } : {}) };
const made = await build();
console.log(made.length > 0 ? `built: ${made.join(", ")}` : "built before, no source has changed");

const names = layers.filter(({ needsBrowser }) => !needsBrowser || tools.chromium).map(({ name }) => name);
const filters = process.argv.slice(extent === "sample" ? 2 : 3);
const counts = await runTests(root, names, extent, filters, env);

console.log("");
for (const line of report.filter((line) => line.includes("LEFT OUT"))) console.log(line);
for (const [layer, count] of counts) console.log(`${layer.padEnd(10)} ${inWords(count)}`);
const total = sum([...counts.values()]);
console.log(`in ${Math.round((Date.now() - startedAt) / 1000)} s`);
console.log(inWords(total));
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
