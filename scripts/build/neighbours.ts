// Decides the order of modules in a bundle. gzip finds repetitions only within 32 KB, so similar modules are placed
// next to each other.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Modules that no bundle needs at its start: they are for a local model server, the end of a plan, or a provider's
 * first refusal.
 */
const apart = ["ask-window.ts", "finish-summary.ts", "refusal.ts", "refused-part.ts"];

/**
 * Makes `entry` import the modules of each of `places` (folders or files, relative to `root`) before its own imports.
 * Importing one of these modules has no effect, so unused ones are left out of the bundle and the order changes only
 * its size.
 */
export function neighbours(root: string, entry: string, places: readonly string[]): Plugin {
  const modules = places.flatMap((place) => {
    if (place.endsWith(".ts")) return [join(root, place)];
    const names = readdirSync(join(root, place)).filter((name) => name.endsWith(".ts"));
    return names
      .filter((name) => !apart.includes(name))
      .sort()
      .map((name) => join(root, place, name));
  });
  const imports = modules.map((path) => `import ${JSON.stringify(path)};\n`).join("");
  return {
    name: "neighbours",
    transform: (code, id) => {
      if (id === join(root, entry)) return imports + code;
      return modules.includes(id) ? { code, moduleSideEffects: false } : null;
    },
  };
}
