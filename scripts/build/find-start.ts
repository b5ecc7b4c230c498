// Finds the modules with which a bundle starts: those that its entry imports, directly or indirectly, without
// `import()`.
import type { Plugin } from "rolldown";

/** Adds the ids of these modules to `start` once all modules are parsed. */
export function findStart(start: Set<string>): Plugin {
  return {
    name: "find-start",
    buildEnd() {
      const ids = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry);
      for (const id of ids) {
        if (start.has(id)) continue;
        start.add(id);
        ids.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    },
  };
}
