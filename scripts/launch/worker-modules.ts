// The files of the built worker, in the form that Miniflare takes.
import { readdirSync } from "node:fs";
import { join } from "node:path";

interface WorkerModule {
  type: "ESModule";
  path: string;
}

/** The first one is workerd's entry; `dist`: the folder of the build, which is also their `modulesRoot`. */
export function workerModules(dist: string): [WorkerModule, ...WorkerModule[]] {
  const loaded = readdirSync(join(dist, "worker")).filter((name) => name.endsWith(".mjs"));
  const at = (...path: string[]) => ({ type: "ESModule" as const, path: join(dist, ...path) });
  return [at("worker.mjs"), ...loaded.map((name) => at("worker", name))];
}
