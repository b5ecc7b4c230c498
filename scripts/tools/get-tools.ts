// Tools that only some commands and test layers need. Each group has its own lockfile in a folder next to this file; it
// is installed there by the first command that needs it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

export const toolGroups = ["biome", "deno", "workerd"] as const;
export type ToolGroup = (typeof toolGroups)[number];

const root = fileURLToPath(new URL("../..", import.meta.url));
const groupFolder = (group: ToolGroup) => join(root, "scripts/tools", group);

const GroupManifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const Installed = z.object({ version: z.string() });

/** The packages of a group with their exact versions. */
export function pinned(group: ToolGroup): Readonly<Record<string, string>> {
  return z.parse(GroupManifest, JSON.parse(readFileSync(join(groupFolder(group), "package.json"), "utf8")))
    .dependencies;
}

/** Absolute path of a file in a package of the group; does not install anything. */
export function inTool(group: ToolGroup, ...path: string[]): string {
  return join(modulesOf(group) ?? join(groupFolder(group), "node_modules"), ...path);
}

/**
 * Installs missing groups with npm and its cache, and returns those that it installed. Throws an error of one sentence.
 */
export function getTools(groups: readonly ToolGroup[]): ToolGroup[] {
  return groups.filter((group) => {
    if (modulesOf(group) !== undefined) return false;
    install(group);
    return true;
  });
}

/** Where the pinned versions are. Clones that were set up before the groups existed have them at the root. */
function modulesOf(group: ToolGroup): string | undefined {
  const own = join(groupFolder(group), "node_modules");
  if (readIfThere(stampIn(own)) === lockHash(group)) return own;
  const above = join(root, "node_modules");
  const isThere = ([name, version]: [string, string]) => versionIn(above, name) === version;
  return Object.entries(pinned(group)).every(isThere) ? above : undefined;
}

/**
 * The group is installed in another folder and then moved, so that a parallel install or a kill leaves no incomplete
 * folder.
 */
function install(group: ToolGroup): void {
  console.log(`installing ${group} in scripts/tools/${group}, once …`);
  mkdirSync(join(root, "dist"), { recursive: true });
  const aside = mkdtempSync(join(root, "dist", `tools-${group}-`));
  try {
    for (const name of ["package.json", "package-lock.json"])
      cpSync(join(groupFolder(group), name), join(aside, name));
    const done = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
      cwd: aside,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (done.status !== 0) throw new Error(refusal(group, done.stderr ?? done.error?.message ?? ""));
    writeFileSync(stampIn(join(aside, "node_modules")), lockHash(group));
    moveIn(group, join(aside, "node_modules"));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function moveIn(group: ToolGroup, made: string): void {
  const own = join(groupFolder(group), "node_modules");
  rmSync(own, { recursive: true, force: true });
  try {
    renameSync(made, own);
  } catch (error) {
    // Another process has installed it meanwhile.
    if (modulesOf(group) === undefined) throw error;
  }
}

function refusal(group: ToolGroup, printed: string): string {
  const why = /^npm (?:error|ERR!) (?!code )(.+)$/m.exec(printed)?.[1] ?? "npm ci failed";
  return `The tools in scripts/tools/${group} could not be installed (${why}); npm's registry is needed once: npm run tools ${group}`;
}

function stampIn(modules: string): string {
  return join(modules, ".handrail-lock");
}

function lockHash(group: ToolGroup): string {
  return createHash("sha256")
    .update(readFileSync(join(groupFolder(group), "package-lock.json")))
    .digest("hex");
}

function versionIn(modules: string, name: string): string | undefined {
  const text = readIfThere(join(modules, name, "package.json"));
  return text === undefined ? undefined : z.parse(Installed, JSON.parse(text)).version;
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
