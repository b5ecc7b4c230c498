import { defineConfig } from "vitest/config";
import { layers, tags } from "./scripts/test/layers.ts";
import { LongestFirst } from "./scripts/test/longest-first.ts";

/** Every layer is a project, so that `vitest run --project sandbox` runs one; `scripts/test.ts` runs them side by side. */
export default defineConfig({
  test: {
    projects: layers.map(({ name, timeoutMs, shared, globalSetup = [] }) => ({
      test: {
        name,
        isolate: !shared,
        include: [`test/${name}/**/*.test.ts`],
        environment: "node",
        tags,
        globalSetup: ["test/harness/layer-tools.ts", ...globalSetup],
        setupFiles: ["test/harness/seed.ts"],
        testTimeout: timeoutMs,
        hookTimeout: 180_000,
        expect: { poll: { timeout: 45_000 } },
        retry: 0,
      },
    })),
    tags,
    passWithNoTests: true,
    // Tests wait for servers and browsers of their own most of the time: six workers keep two cores busy.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
  },
});
