// What `npm run build` makes, part by part: which sources each comes from and how it is bundled.
import type { InputOptions } from "rolldown";

/** A bundle that Rolldown makes, or the page that Vite makes with it. `inputs`: files and folders whose content it depends on. */
export interface Part {
  name: PartName;
  inputs: readonly string[];
  /** Below dist; the part is stale when it is missing. */
  output: string;
  bundle?: Bundle;
}

export interface Bundle {
  from: InputOptions;
  minify: boolean;
}

export const partNames = ["pwa", "sandbox", "demo", "node", "worker", "deno", "workerd"] as const;
export type PartName = (typeof partNames)[number];

/** Every part depends on the installed versions and on how it is built. */
const always = ["package-lock.json", "scripts/build", "scripts/build.ts"];

const builtIn = [/^node:/];
const onNode: InputOptions = {
  platform: "node",
  external: builtIn,
  transform: { target: "node20.19" },
};

/** Web standards only: no `browser` fields, no polyfills. */
function onWeb(conditions: readonly string[], external: RegExp[]): InputOptions {
  return {
    platform: "neutral",
    external,
    resolve: { mainFields: ["module", "main"], conditionNames: [...conditions, "import", "default"] },
    transform: { target: "es2023" },
  };
}

export const parts: readonly Part[] = [
  {
    name: "pwa",
    inputs: [...always, "vite.config.ts", "pwa", "shared", "functions/routes"],
    output: "pwa/index.html",
  },
  bundled("sandbox", "sandbox/main.ts", ["sandbox", "shared"], onNode, true),
  bundled("demo", "demo/main.ts", ["demo", "shared"], onNode),
  bundled("node", "functions/node.ts", ["functions", "shared"], onNode),
  bundled(
    "worker",
    "functions/worker.ts",
    ["functions", "shared"],
    onWeb(["workerd", "worker", "browser"], [/^cloudflare:/]),
    true,
  ),
  bundled("deno", "functions/deno.ts", ["functions", "shared"], onWeb(["deno", "worker"], builtIn)),
  bundled(
    "workerd",
    "scripts/launch/serve-workerd.ts",
    ["scripts/launch/serve-workerd.ts", "wrangler.toml"],
    // Packages are there where this runs.
    { ...onNode, external: /^[^./]/ },
  ),
];

function bundled(
  name: PartName,
  input: string,
  inputs: readonly string[],
  options: InputOptions,
  minify = false,
): Part {
  return {
    name,
    inputs: [...always, ...inputs],
    output: `${name}.mjs`,
    bundle: { from: { ...options, input }, minify },
  };
}
