// Starts a script in a workerd of its own, whose CPU time can be read from outside.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { dist, root } from "../../scripts/build.ts";
import type { workerModules } from "../../scripts/launch/worker-modules.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";
import { childCalled } from "./cpu-time.ts";

export interface Served {
  url: string;
  pid: number;
  close(): Promise<void>;
}

/** Processes that were started before: a new one is told from them by its id. */
const known = new Set<number>();

/** `script`: an entry's text, or the built worker's files. With the compatibility date and flags of wrangler.toml, and nothing that calls home. */
export async function startWorkerd(
  script: string | ReturnType<typeof workerModules>,
  bindings: Record<string, string> = {},
): Promise<Served> {
  const wrangler = readFileSync(join(root, "wrangler.toml"), "utf8");
  const flags = /^compatibility_flags = \[(.*)\]/m.exec(wrangler)?.[1] ?? "";
  const miniflare = new Miniflare({
    compatibilityDate: /^compatibility_date = "([\d-]+)"/m.exec(wrangler)?.[1] ?? "",
    compatibilityFlags: [...flags.matchAll(/"([^"]+)"/g)].map(([, flag]) => flag ?? ""),
    modules:
      typeof script === "string" ? [{ type: "ESModule", path: "worker.mjs", contents: script }] : script,
    modulesRoot: typeof script === "string" ? root : dist,
    bindings,
    cf: false,
    // A line in the log for each turn is no result.
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) =>
      void [stdout, stderr].map((stream) => stream.resume()),
  });
  const url = (await miniflare.ready).origin;
  const pid = childCalled("workerd", known);
  known.add(pid);
  return { url, pid, close: () => miniflare.dispose() };
}
