// `npm run build [part …]`: builds dist, skipping parts whose sources have not changed.
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findStart } from "./build/find-start.ts";
import { neighbours } from "./build/neighbours.ts";
import { type BuildPart, type BuildPartName, type Bundle, partNames, parts } from "./build/parts.ts";
import { isFresh, sourceHash, writeStamp } from "./build/stamp.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const dist = join(root, "dist");

/** Builds those of the named parts (default: all) that are missing or out of date, and returns their names. */
export async function build(names: readonly BuildPartName[] = partNames): Promise<BuildPartName[]> {
  await mkdir(dist, { recursive: true });
  const made = await Promise.all(parts.filter((part) => names.includes(part.name)).map(makeIfStale));
  return made.filter((name) => name !== undefined);
}

async function makeIfStale(part: BuildPart): Promise<BuildPartName | undefined> {
  const hash = await sourceHash(root, part);
  if (await isFresh(dist, part, hash)) return undefined;
  await (part.bundle ? makeBundle(part, part.bundle) : makePage());
  await writeStamp(dist, part, hash);
  return part.name;
}

async function makeBundle(part: BuildPart, bundle: Bundle): Promise<void> {
  const { from, entry, minify, together, lazy } = bundle;
  const { rolldown } = await import("rolldown");
  const start = new Set<string>();
  const plugins = [neighbours(root, entry, together), findStart(start)];
  const extend = lazy ? { preserveEntrySignatures: "allow-extension" as const } : {};
  const made = await rolldown({ ...from, ...extend, input: entry, plugins, cwd: root, logLevel: "warn" });
  const { output } = await made.generate({
    format: "esm",
    minify,
    // By default, Rolldown moves modules that start and lazy files share into further files, which costs 9 KB for zod
    // alone.
    codeSplitting: lazy !== undefined && { groups: [{ name: "start", test: (id) => start.has(id) }] },
    // File names contain a hash, so that a server that starts during a build finds the files that its entry names.
    entryFileNames: "start-[hash].mjs",
    chunkFileNames: ({ moduleIds }) => `${feature(lazy, moduleIds)}[name]-[hash].mjs`,
    // Only bundlers read annotations, and this file is not bundled again. They would take 1.5 KB of the worker.
    comments: { legal: false, annotation: false },
  });
  await made.close();
  const [main, ...others] = output;
  if (lazy === undefined) return write(part.output, main.code);
  const chunks = [main, ...others.filter((other) => other.type === "chunk")];
  for (const { fileName, code } of chunks) await write(join(part.name, fileName), code);
  const names = lazy.exports.join(", ");
  await write(part.output, `export { ${names} } from "./${part.name}/${main.fileName}";\n`);
  const current = new Set(chunks.map(({ fileName }) => fileName));
  for (const name of await readdir(join(dist, part.name)))
    if (!current.has(name)) await rm(join(dist, part.name, name), { force: true });
}

/** The beginning of a lazy file's name: the feature to which one of its modules belongs. */
function feature(lazy: Bundle["lazy"], ids: readonly string[]): string {
  const hasOneOf = (folder: string) => ids.some((id) => id.startsWith(join(root, folder)));
  const [name] = Object.entries(lazy?.features ?? {}).find(([, folders]) => folders.some(hasOneOf)) ?? [];
  return name === undefined ? "" : `${name}-`;
}

/**
 * Written to another name and then renamed, so that a server that starts meanwhile reads either the old file or the new
 * one.
 */
async function write(name: string, text: string): Promise<void> {
  const target = join(dist, name);
  await mkdir(dirname(target), { recursive: true });
  const aside = `${target}.${process.pid}`;
  await writeFile(aside, text);
  await rename(aside, target);
}

async function makePage(): Promise<void> {
  const { build: vite } = await import("vite");
  const aside = join(dist, `.pwa-${process.pid}`);
  await vite({
    configFile: join(root, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: aside, emptyOutDir: true },
  });
  const { pageHeaders } = await import("../functions/routes/security-headers.ts");
  await writeFile(join(aside, "_headers"), headersFile(pageHeaders));
  const { openapiDocument } = await import("../functions/routes/openapi-document.ts");
  await writeFile(join(aside, "openapi.json"), JSON.stringify(openapiDocument));
  await rm(join(dist, "pwa"), { recursive: true, force: true });
  await rename(aside, join(dist, "pwa"));
}

/** The headers in the format of Workers' static assets. */
function headersFile(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  return [
    "/*",
    ...lines,
    "  cache-control: no-cache",
    "/assets/*",
    "  ! cache-control",
    "  cache-control: public, max-age=31536000, immutable",
    "",
  ].join("\n");
}

function isPartName(name: string): name is BuildPartName {
  return partNames.some((known) => known === name);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !isPartName(name));
  if (unknown.length > 0) {
    console.error(`Unknown part: ${unknown.join(", ")}. The parts are: ${partNames.join(", ")}.`);
    process.exit(1);
  }
  const made = await build(asked.length > 0 ? asked.filter(isPartName) : partNames);
  console.log(made.length > 0 ? `built: ${made.join(", ")}` : "nothing to build: no source has changed");
}
