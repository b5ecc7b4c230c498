// Finds the optional runtimes: Deno's binary, and Miniflare, which includes workerd. Installs nothing.

import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import type { Env } from "./env.ts";
import { dataHome } from "./places.ts";
import { SettingsError } from "./settings-error.ts";

/** The package lists the versions that it was tested with; a clone has a lockfile for each. */
const TriedVersions = z.object({
  runtimes: z.optional(z.record(z.string(), z.string())),
  dependencies: z.optional(z.record(z.string(), z.string())),
});

/** The binary itself, because the npm package's launcher would be an extra process. Throws SettingsError. */
export function denoBinary(env: Env): string {
  const manifest = find("deno", "deno/package.json", env);
  const onPath = (env.PATH ?? "").split(delimiter).map((folder) => join(folder, "deno"));
  const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
  const packaged = manifest
    ? [join(dirname(manifest), "deno"), join(dirname(manifest), "..", "@deno", platform, "deno")]
    : [];
  const found = [...packaged, ...onPath].find(isExecutable);
  if (found) return found;
  throw missing("deno", "deno", env);
}

/** Miniflare's entry file. Throws SettingsError. */
export function miniflare(env: Env): string {
  const found = find("workerd", "miniflare", env);
  if (found) return found;
  throw missing("workerd", "miniflare", env);
}

function find(runtime: string, name: string, env: Env): string | undefined {
  for (const from of [import.meta.url, inClone(runtime), join(runtimesFolder(env), "package.json")])
    try {
      return createRequire(from).resolve(name);
    } catch {
      // The next place is tried.
    }
  return undefined;
}

/** The place in a clone where scripts/tools/get-tools.ts installs it; the npm package has no such folder. */
function inClone(runtime: string): string {
  return fileURLToPath(new URL(`../tools/${runtime}/package.json`, import.meta.url));
}

function runtimesFolder(env: Env): string {
  return join(dataHome(env), "runtimes");
}

function missing(runtime: string, name: string, env: Env): SettingsError {
  const version = versionOf(runtime, name);
  const command = `npm install --prefix "${runtimesFolder(env)}" ${name}${version ? `@${version}` : ""}`;
  return new SettingsError(
    `HANDRAIL_RUNTIME is ${runtime}, which is not installed; run: ${command} (or leave the runtime at node).`,
  );
}

function versionOf(runtime: string, name: string): string | undefined {
  for (const path of [fileURLToPath(new URL("../package.json", import.meta.url)), inClone(runtime)]) {
    if (!existsSync(path)) continue;
    const { runtimes = {}, dependencies = {} } = z.parse(
      TriedVersions,
      JSON.parse(readFileSync(path, "utf8")),
    );
    return runtimes[name] ?? dependencies[name];
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
