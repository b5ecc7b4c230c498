// The file in which an edge on Deno stores what its guests have cost today. Deno may touch only it and the file beside it.
import type { EnginePlatform } from "./engines/engine.ts";

/** `store` must not be called again before it has resolved. */
export function spendingFile(path: string): Required<EnginePlatform>["spending"] {
  return {
    async load() {
      try {
        return new TextDecoder().decode(await Deno.readFile(path));
      } catch (error) {
        if (error instanceof Error && error.name === "NotFound") return undefined;
        throw error;
      }
    },
    async store(text) {
      const next = `${path}.next`;
      await Deno.writeTextFile(next, text, { mode: 0o600 });
      await Deno.rename(next, path);
    },
  };
}
