// Which modules a bundle starts with: those that its entry imports, directly or not, without `import()`.
import type { Plugin } from "rolldown";

/** Fills `start` with the ids of these modules once all are parsed. */
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
