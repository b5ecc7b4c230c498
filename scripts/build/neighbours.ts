// The order of modules in a bundle. gzip finds repetitions within 32 KB only, so modules that look alike are put beside
// each other.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Has `entry` import the modules of each of `folders` before its own, all paths from `root`. None of them does anything by
 * being imported, so those that nothing uses stay out, and the order changes nothing but the size.
 */
export function neighbours(root: string, entry: string, folders: readonly string[]): Plugin {
  const modules = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".ts"))
      .sort()
      .map((name) => join(root, folder, name)),
  );
  const imports = modules.map((path) => `import ${JSON.stringify(path)};\n`).join("");
  return {
    name: "neighbours",
    transform: (code, id) => {
      if (id === join(root, entry)) return imports + code;
      return modules.includes(id) ? { code, moduleSideEffects: false } : null;
    },
  };
}
