// The parts that `npm run build` builds: their sources, and how each is bundled.
import type { InputOptions } from "rolldown";

/** A bundle made by Rolldown, or the page made by Vite. `inputs`: the files and folders on which it depends. */
export interface BuildPart {
  name: BuildPartName;
  inputs: readonly string[];
  /** A path below dist; if it is missing, the part is out of date. */
  output: string;
  bundle?: Bundle;
}

export interface Bundle {
  from: InputOptions;
  entry: string;
  minify: boolean;
  /** Folders whose modules come first, placed next to each other. */
  together: readonly string[];
  /**
   * Each `import()` gets its own file with the modules that only it needs. These files are in a folder named after the
   * part, next to `start-….mjs`. The output itself then only re-exports the entry's `exports`, and no module is shared
   * between files.
   */
  lazy?: {
    exports: readonly string[];
    /**
     * A lazy file that contains a module of these paths gets a name with this prefix, so that it can have its own
     * budget (.size-limit.mjs).
     */
    features?: Readonly<Record<string, readonly string[]>>;
  };
}

export const partNames = [
  "pwa",
  "sandbox",
  "demo",
  "node",
  "worker",
  "deno",
  "workerd",
  "guests",
  "handrail",
] as const;
export type BuildPartName = (typeof partNames)[number];

/** Inputs of every part: the installed versions, and the build scripts. */
const always = ["package-lock.json", "scripts/build", "scripts/build.ts"];

const builtIn = [/^node:/];
const onNode: InputOptions = {
  platform: "node",
  external: builtIn,
  transform: { target: "node20.19" },
};

// Creating a schema and reading a field of one have no side effects, so unused schemas are left out. The same is true
// of the WebSockets that @hono/node-server prepares.
const smaller: InputOptions = {
  treeshake: { manualPureFunctions: ["z", "defineWebSocketHelper"], propertyReadSideEffects: false },
  optimization: { inlineConst: { mode: "all" } },
};

/** For code that uses only web standards: no `browser` fields and no polyfills. */
function onWeb(conditions: readonly string[], external: RegExp[]): InputOptions {
  return {
    platform: "neutral",
    external,
    resolve: { mainFields: ["module", "main"], conditionNames: [...conditions, "import", "default"] },
    transform: { target: "es2023" },
    ...smaller,
  };
}

/** Found by trial and error; `npx size-limit` shows what they save. */
const alikeInWorker = [
  "shared/redact",
  "functions/command-risk",
  "shared/hashline",
  "shared/plan/ordinary",
  "shared/plan",
  "functions/model",
  // These would take more space in separate files.
  "functions/model/wires/answer-parts.ts",
];
const alikeInSandbox = [
  "sandbox/sample",
  "shared/plan",
  "shared",
  "shared/redact",
  "sandbox/secrets",
  "shared/hashline",
  "shared/session",
  "sandbox/allow-list",
  "sandbox/exec",
  "sandbox/paths",
  "sandbox/jail",
  "sandbox/worktrees",
  "sandbox/delivery",
  "sandbox/sources",
  "sandbox/network",
  "sandbox/ops",
  "sandbox/archive",
  "sandbox/calls",
  "sandbox/journal",
  "sandbox/routes",
  "sandbox/workspace",
];

export const parts: readonly BuildPart[] = [
  {
    name: "pwa",
    inputs: [...always, "vite.config.ts", "pwa", "shared", "functions/routes"],
    output: "pwa/index.html",
  },
  bundled(
    "sandbox",
    "sandbox/main.ts",
    ["sandbox", "shared"],
    { ...onNode, ...smaller },
    true,
    alikeInSandbox,
  ),
  bundled("demo", "demo/main.ts", ["demo", "shared"], onNode, true),
  bundled(
    "node",
    "functions/node.ts",
    ["functions", "shared"],
    { ...onNode, ...smaller },
    true,
    alikeInWorker,
  ),
  bundled(
    "worker",
    "functions/worker.ts",
    ["functions", "shared"],
    onWeb(["workerd", "worker", "browser"], [/^cloudflare:/]),
    true,
    alikeInWorker,
    {
      exports: ["default", "TurnRunner"],
      features: {
        forges: ["functions/forge"],
        engines: ["functions/engines"],
        extras: [
          "functions/mcp",
          "functions/explore",
          "functions/one-answer",
          "functions/hooks",
          "functions/inputs/fresh-context.ts",
        ],
      },
    },
  ),
  bundled(
    "deno",
    "functions/deno.ts",
    ["functions", "shared"],
    onWeb(["deno", "worker"], builtIn),
    true,
    alikeInWorker,
  ),
  bundled(
    "workerd",
    "scripts/launch/serve-workerd.ts",
    ["scripts/launch", "wrangler.toml"],
    // Here packages are installed, so they are not bundled.
    { ...onNode, external: /^[^./]/ },
  ),
  // The second script on Cloudflare: a Durable Object for each container. The sandbox server is uploaded with it, as
  // text.
  bundled(
    "guests",
    "functions/worker-guests.ts",
    ["functions/worker-guests.ts", "functions/engines", "shared"],
    onWeb(["workerd", "worker", "browser"], [/^cloudflare:/, /sandbox\.mjs$/]),
    true,
  ),
  // Only the npm package starts with this file; a clone starts from its source (scripts/start.ts).
  bundled(
    "handrail",
    "scripts/handrail.ts",
    ["scripts/handrail.ts", "scripts/launch", "functions", "shared"],
    { ...onNode, ...smaller },
    true,
  ),
];

function bundled(
  name: BuildPartName,
  input: string,
  inputs: readonly string[],
  options: InputOptions,
  minify = false,
  together: readonly string[] = [],
  lazy?: Bundle["lazy"],
): BuildPart {
  return {
    name,
    inputs: [...always, ...inputs],
    output: `${name}.mjs`,
    bundle: { from: options, entry: input, minify, together, ...(lazy && { lazy }) },
  };
}
