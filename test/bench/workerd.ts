// Starts a script in a workerd of its own, so that its CPU time can be read from outside.
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

/** Processes that were already running; the new one is the one whose id is not in here. */
const known = new Set<number>();

/**
 * `script`: the text of an entry, or the files of the built worker. It runs with the compatibility date and
 * flags of wrangler.toml, and cannot make outgoing requests.
 */
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
    // The log line of each turn is not a result.
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) =>
      void [stdout, stderr].map((stream) => stream.resume()),
  });
  const url = (await miniflare.ready).origin;
  const pid = childCalled("workerd", known);
  known.add(pid);
  return { url, pid, close: () => miniflare.dispose() };
}
