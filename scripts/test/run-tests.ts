// Runs test layers side by side, and counts for each how many tests passed, failed or were skipped.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import * as z from "zod/mini";
import { type Extent, tagsOf } from "./layers.ts";

export interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), tags: z.array(z.string()) })),
    }),
  ),
});

/** `args` are passed on to vitest: file filters, `-t`. The counts are by layer; "" for tests that belong to none. */
export async function runTests(
  root: string,
  layers: readonly string[],
  extent: Extent,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Map<string, Count>> {
  const file = join(root, "dist", "test-results", `${extent}.json`);
  rmSync(file, { force: true });
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const projects = layers.flatMap((layer) => ["--project", layer]);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const filter = `--tags-filter=${tagsOf[extent].filter}`;
  // vitest loads a file before it can skip its tests, so files of which nothing runs are excluded.
  const unopened = filesLeftOut(root, extent).map((path) => `--exclude=${path}`);
  const options = [...projects, filter, ...unopened, ...reporters];
  const child = spawn(process.execPath, [vitest, "run", ...options, ...args], {
    cwd: root,
    env: { ...env, HANDRAIL_TESTS: extent },
    stdio: "inherit",
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  const counts = countsOf(root, file, extent);
  for (const layer of layers) if (!counts.has(layer)) counts.set(layer, { passed: 0, failed: 0, skipped: 0 });
  // A run that fails without a failed test (an unhandled error, a crash) counts as one failure.
  if (exitCode !== 0 && sum([...counts.values()]).failed === 0) {
    counts.set("no test", { passed: 0, failed: 1, skipped: 0 });
  }
  return counts;
}

/** Test files that are tagged as a whole, in the comment at their head, for another command. */
function filesLeftOut(root: string, extent: Extent): string[] {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `test/${path.split(sep).join("/")}`)
    .filter((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const tag = /^(?:\/\/.*\n)*?\/\/ @module-tag (long|length)\n/.exec(text)?.[1];
      if (tag === undefined) return false;
      // A long file may contain single tests for `npm run test:length`.
      return extent === "length"
        ? !/"(length|seeds)"|@module-tag length|suite\.ts"/.test(text)
        : !tagsOf[extent].runs([tag]);
    });
}

function countsOf(root: string, file: string, extent: Extent): Map<string, Count> {
  const counts = new Map<string, Count>();
  if (!existsSync(file)) return counts;
  for (const { name, status, assertionResults } of VitestReport.parse(JSON.parse(readFileSync(file, "utf8")))
    .testResults) {
    const layer = relative(join(root, "test"), name).split(sep)[0] ?? "";
    // Tests of another command do not count as skipped.
    const ours = assertionResults.filter(({ tags }) => tagsOf[extent].runs(tags));
    const count = (...statuses: string[]) => ours.filter((test) => statuses.includes(test.status)).length;
    // A file that cannot be loaded has no failed tests, so it counts as one failure.
    const unloadable = status === "failed" && assertionResults.length === 0 ? 1 : 0;
    const passed = count("passed");
    const failed = count("failed");
    counts.set(
      layer,
      sum([
        counts.get(layer) ?? { passed: 0, failed: 0, skipped: 0 },
        { passed, failed: failed + unloadable, skipped: ours.length - passed - failed },
      ]),
    );
  }
  return counts;
}

export function sum(counts: readonly Count[]): Count {
  const add = (a: Count, b: Count) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  });
  return counts.reduce(add, { passed: 0, failed: 0, skipped: 0 });
}

export function inWords({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
