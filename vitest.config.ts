import { defineConfig } from "vitest/config";

/** Every layer is a project, so that `vitest run --project sandbox` runs one; `scripts/test.ts` runs all of them in order. */
const layers = ["unit", "contract", "sandbox", "worker", "deno", "e2e", "fault"];

export default defineConfig({
  test: {
    projects: layers.map((name) => ({
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        environment: "node",
        // Nets for what hangs, not assertions: on a loaded machine the slowest test still ends far below them.
        testTimeout: name === "unit" ? 60_000 : 180_000,
        hookTimeout: 180_000,
        expect: { poll: { timeout: 45_000 } },
        retry: 0,
        // Layers that start servers and browsers share two cores with them.
        ...(name === "e2e" || name === "fault" ? { fileParallelism: false } : {}),
      },
    })),
    passWithNoTests: true,
    maxWorkers: 2,
  },
});
