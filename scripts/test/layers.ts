// Runs the test layers one after the other and counts what passed, failed and was skipped.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as z from "zod/mini";

export interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

/** `args` go to vitest as they are: file filters, `-t`. */
export async function runLayer(
  root: string,
  layer: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Count> {
  if (!hasTests(join(root, "test", layer))) return { passed: 0, failed: 0, skipped: 0 };
  const file = join(root, "dist", "test-results", `${layer}.json`);
  rmSync(file, { force: true });
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const child = spawn(process.execPath, [vitest, "run", "--project", layer, ...reporters, ...args], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return withExit(countOf(file), exitCode);
}

function hasTests(folder: string): boolean {
  return (
    existsSync(folder) &&
    readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(".test.ts"))
  );
}

function countOf(file: string): Count {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
  const report = Report.parse(JSON.parse(readFileSync(file, "utf8")));
  // A file that cannot be loaded has no tests to fail; it counts as one.
  const unloadable = report.testResults.filter(
    (result) => result.status === "failed" && result.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloadable.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** A run that ends badly with no test to blame (an unhandled error, a crash) is a failure all the same. */
function withExit(count: Count, exitCode: number | null): Count {
  return exitCode !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
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
