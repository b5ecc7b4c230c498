// `npm run pack [-- FOLDER]`: builds the npm package, one file that `npx` runs and that installs no dependencies.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod/mini";
import { parts } from "./build/parts.ts";
import { build, dist, root } from "./build.ts";
import { pinned } from "./tools/get-tools.ts";

const PackageManifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  engines: z.record(z.string(), z.string()),
});

/** From dist: everything that a start may need. */
const built = ["handrail.mjs", "worker.mjs", "worker", "workerd.mjs", "sandbox.mjs", "demo.mjs", "pwa"];
/** Files that are read at run time or by people. */
const beside = ["wrangler.toml", "README.md", "LICENSE", "docs/settings.md", "docs/deploy.md"];

/**
 * The repository, from the environment of GitHub's runner: npm's provenance check compares the two. It is unknown
 * anywhere else.
 */
function repository(
  env: Readonly<Record<string, string | undefined>>,
): { type: string; url: string } | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  return server && name ? { type: "git", url: `git+${server}/${name}.git` } : undefined;
}

/** The contents of the package's own package.json: no dependencies and no scripts. */
export function packageManifest(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, unknown> {
  const { name, version, description, license, engines } = z.parse(
    PackageManifest,
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
  );
  const { deno, miniflare } = { ...pinned("deno"), ...pinned("workerd") };
  const from = repository(env);
  return {
    ...{ name, version, description, license, type: "module", engines },
    bin: { handrail: "dist/handrail.mjs" },
    ...(from ? { repository: from } : {}),
    keywords: ["coding-agent", "ai", "agent", "pwa", "mobile", "llm"],
    // For --runtime, which tells people how to install a missing runtime.
    runtimes: { deno, miniflare },
  };
}

/** Builds, and copies the package into `folder`, which must be empty. */
export async function stagePackage(folder: string): Promise<void> {
  await build();
  await makeEdges(join(folder, "dist"));
  for (const name of built) cpSync(join(dist, name), join(folder, "dist", name), { recursive: true });
  chmodSync(join(folder, "dist/handrail.mjs"), 0o755);
  for (const name of beside) cpSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageManifest(), null, 2)}\n`);
}

/** The edge for Node and for Deno, as two files that share nearly all of their code. In dist the code is in both. */
async function makeEdges(folder: string): Promise<void> {
  const [node, deno] = parts.flatMap(({ name, bundle }) =>
    bundle && (name === "node" || name === "deno") ? [bundle] : [],
  );
  if (node === undefined || deno === undefined) throw new Error("There is no edge to build.");
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    ...node.from,
    cwd: root,
    input: { node: join(root, node.entry), deno: join(root, deno.entry) },
    logLevel: "warn",
  });
  await made.write({
    dir: folder,
    format: "esm",
    minify: true,
    entryFileNames: "[name].mjs",
    chunkFileNames: "edge/[name]-[hash].mjs",
    comments: { legal: false, annotation: false },
  });
  await made.close();
}

/** Returns the path of the package file in `target`. */
export async function packInto(target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "handrail-package-"));
  try {
    await stagePackage(folder);
    mkdirSync(target, { recursive: true });
    const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", target];
    const done = spawnSync("npm", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const name = done.stdout?.trim().split("\n").at(-1);
    if (done.status !== 0 || !name) throw new Error("npm pack failed; what it says is above.");
    return join(target, name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = await packInto(resolve(process.argv[2] ?? dist));
  console.log(
    `${file} ${Math.ceil(statSync(file).size / 1000)} KB; try it: cd ${dirname(file)} && npx ./${basename(file)}`,
  );
}
