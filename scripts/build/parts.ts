// What `npm run build` makes, part by part: which sources each comes from and how it is bundled.
import type { BuildOptions } from "esbuild";

/** A bundle that esbuild makes, or the page that Vite makes. `inputs`: files and folders whose content it depends on. */
export interface Part {
  name: PartName;
  inputs: readonly string[];
  /** Below dist; the part is stale when it is missing. */
  output: string;
  bundle?: BuildOptions;
}

export const partNames = ["pwa", "sandbox", "demo", "node", "worker", "deno", "workerd"] as const;
export type PartName = (typeof partNames)[number];

/** Every part depends on the installed versions and on how it is built. */
const always = ["package-lock.json", "scripts/build", "scripts/build.ts"];

const onNode: BuildOptions = { platform: "node", target: "node20.19" };
/** Web standards only: no `browser` fields, no polyfills. */
const onWeb: BuildOptions = { platform: "neutral", mainFields: ["module", "main"], target: "es2023" };

export const parts: readonly Part[] = [
  {
    name: "pwa",
    inputs: [...always, "vite.config.ts", "pwa", "shared", "functions/routes"],
    output: "pwa/index.html",
  },
  bundled("sandbox", "sandbox/main.ts", ["sandbox", "shared"], { ...onNode, minify: true }),
  bundled("demo", "demo/main.ts", ["demo", "shared"], onNode),
  bundled("node", "functions/node.ts", ["functions", "shared"], onNode),
  bundled("worker", "functions/worker.ts", ["functions", "shared"], {
    ...onWeb,
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    minify: true,
  }),
  bundled("deno", "functions/deno.ts", ["functions", "shared"], {
    ...onWeb,
    conditions: ["deno", "worker"],
    external: ["node:*"],
  }),
  bundled(
    "workerd",
    "scripts/launch/serve-workerd.ts",
    ["scripts/launch/serve-workerd.ts", "wrangler.toml"],
    {
      ...onNode,
      packages: "external",
    },
  ),
];

function bundled(name: PartName, entry: string, inputs: readonly string[], options: BuildOptions): Part {
  const output = `${name}.mjs`;
  const bundle: BuildOptions = {
    ...options,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    legalComments: "none",
    write: false,
    logLevel: "silent",
  };
  return { name, inputs: [...always, ...inputs], output, bundle };
}
