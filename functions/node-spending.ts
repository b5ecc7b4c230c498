// The file in which an edge on Node stores what its guests have cost today.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { EnginePlatform } from "./engines/engine.ts";

/** `store` must not be called again before it has resolved. */
export function spendingFile(path: string): Required<EnginePlatform>["spending"] {
  return {
    async load() {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      }
    },
    async store(text) {
      const next = `${path}.${process.pid}`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(next, text, { mode: 0o600 });
      await rename(next, path);
    },
  };
}
