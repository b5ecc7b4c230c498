// The order of modules in a bundle. gzip finds repetitions within 32 KB only, so modules that look alike are put beside
// each other.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

/** What no bundle starts with: it comes with a model server of the local network, the end of a plan, or a provider's first refusal. */
const apart = ["ask-window.ts", "finish-summary.ts", "refusal.ts", "refused-part.ts"];

/**
 * Has `entry` import the modules of each of `places`, folders or single files, before its own, all paths from `root`. None
 * of them does anything by being imported, so those that nothing uses stay out, and the order changes nothing but the size.
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
