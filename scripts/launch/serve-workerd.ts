// Serves the built worker in workerd, with the page as its assets. It is a separate process, started by the launcher.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { workerModules } from "./worker-modules.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** These settings must be the same as for `wrangler deploy`. */
function readWrangler(): { compatibilityDate: string; compatibilityFlags: string[] } {
  const text = readFileSync(here("../wrangler.toml"), "utf8");
  const compatibilityDate = /^compatibility_date = "([\d-]+)"/m.exec(text)?.[1];
  const flags = /^compatibility_flags = \[(.*)\]/m.exec(text)?.[1] ?? "";
  if (!compatibilityDate) throw new Error("wrangler.toml names no compatibility_date.");
  return {
    compatibilityDate,
    compatibilityFlags: [...flags.matchAll(/"([^"]+)"/g)].map(([, flag]) => flag ?? ""),
  };
}

/** The launcher has already selected the variables that the edge may see. */
function variables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * A shell script that becomes workerd and has a guardian process. If this process is killed with -9, workerd would
 * continue and occupy the port. The guardian reads Miniflare's control pipe (fd 3, to which Miniflare writes nothing);
 * when it closes, this process has ended for whatever reason, and workerd is killed.
 */
const guardedWorkerd = (workerd: string) => `#!/bin/sh
self=$$
(
  cat <&3
  case "$(ps -o args= -p "$self")" in *workerd*) kill -9 "$self" ;; esac
) >/dev/null 2>&1 </dev/null &
exec '${workerd.replaceAll("'", "'\\''")}' "$@"
`;

/** Set before loading, because Miniflare reads the variable when it is loaded. */
async function loadMiniflare(): Promise<typeof import("../tools/workerd/miniflare.ts")> {
  const place = process.env.HANDRAIL_MINIFLARE || createRequire(import.meta.url).resolve("miniflare");
  const ofMiniflare = createRequire(place);
  const { default: workerd } = ofMiniflare("workerd");
  const folder = mkdtempSync(join(tmpdir(), "handrail-workerd-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "workerd");
  writeFileSync(program, guardedWorkerd(String(workerd)), { mode: 0o700 });
  process.env.MINIFLARE_WORKERD_PATH = program;
  return import(pathToFileURL(place).href);
}

async function start(): Promise<void> {
  const { HANDRAIL_GUESTS_WORKER: guests, ...bindings } = variables();
  const { Log, LogLevel, Miniflare } = await loadMiniflare();
  const host = process.env.HANDRAIL_HOST || "127.0.0.1";
  const inState = (name: string) => bindings.HANDRAIL_STATE && join(bindings.HANDRAIL_STATE, name);
  const edge = {
    ...readWrangler(),
    name: "handrail",
    modules: workerModules(here(".")),
    modulesRoot: here("."),
    bindings,
    durableObjects: {
      TURNS: { className: "TurnRunner", useSQLite: true },
      ...(guests
        ? { GUESTS: { className: "SandboxGuest", scriptName: "handrail-guests", useSQLite: true } }
        : {}),
    },
    assets: {
      directory: here("./pwa"),
      binding: "ASSETS",
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    },
  };
  const miniflare = new Miniflare({
    // The configuration of the guests' script, if there is one (scripts/cloudflare). Miniflare validates it.
    workers: [edge, ...(guests ? [JSON.parse(guests)] : [])],
    // Alarms that were set before a restart fire after it, and wake sleeping guests.
    durableObjectsPersist: inState("turns"),
    r2Persist: inState("archives"),
    host,
    port: Number(process.env.PORT || 8787),
    // Without this, Miniflare requests metadata from Cloudflare.
    cf: false,
    log: new Log(LogLevel.ERROR),
  });
  process.stdin.on("end", () => void miniflare.dispose().finally(() => process.exit(0))).resume();
  const url = await miniflare.ready;
  console.log(`edge ready http://${host.includes(":") ? `[${host}]` : host}:${url.port}`);
}

try {
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
