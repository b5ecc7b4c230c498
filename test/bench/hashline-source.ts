// Real source for measurements: our own TypeScript files, as lists of lines.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The lines of every TypeScript file with at least 40 lines in `shared`, `functions` and `sandbox`. */
export function sourceFiles(): string[][] {
  return ["shared", "functions", "sandbox"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(
        (path) => path.endsWith(".ts") && !path.includes("node_modules") && !path.endsWith("trigrams.ts"),
      )
      .sort()
      .map((path) =>
        readFileSync(join(root, folder, path), "utf8")
          .split("\n")
          .slice(0, -1),
      )
      .filter((lines) => lines.length >= 40),
  );
}
