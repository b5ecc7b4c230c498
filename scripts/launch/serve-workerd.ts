// Serves the built worker under workerd, with the page as its assets. A process of its own, started by the launcher.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The one setting that `wrangler deploy` and we have to share. */
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

/** The launcher has chosen what the edge may see. */
function variables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function start(): Promise<void> {
  const host = process.env.HANDRAIL_HOST || "127.0.0.1";
  const miniflare = new Miniflare({
    ...readWrangler(),
    name: "handrail",
    modules: [{ type: "ESModule", path: here("./worker.mjs") }],
    modulesRoot: here("."),
    bindings: variables(),
    assets: {
      directory: here("./pwa"),
      binding: "ASSETS",
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    },
    host,
    port: Number(process.env.PORT || 8787),
    // No call home for request metadata.
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
