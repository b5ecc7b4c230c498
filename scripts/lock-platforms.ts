// `npm run lock`: adds to every package-lock.json the binaries of platforms that npm left out when it wrote the file.
// npm drops optional packages that are missing in the configured registry, and `npm ci` then refuses the lockfile.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toolGroups } from "./tools/get-tools.ts";

interface Locked {
  version?: string;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
}

const systems = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"];

/** Absolute paths of the lockfiles: that of `npm ci`, and one for each group of tools. */
export const lockfiles = ["..", ...toolGroups.map((group) => `tools/${group}`)].map((folder) =>
  fileURLToPath(new URL(`${folder}/package-lock.json`, import.meta.url)),
);

/**
 * Optional packages that the entries of a lockfile ask for and that have no entry, by the place of the missing entry.
 */
export function missingPlatforms(packages: Readonly<Record<string, Locked>>): Map<string, object> {
  const missing = new Map<string, object>();
  for (const [place, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const own = `node_modules/${name}`;
      if (packages[own] || packages[`${place}/${own}`]) continue;
      missing.set(own, { version, ...platformOf(name), ...(dev ? { dev } : {}), optional: true });
    }
  }
  return missing;
}

/** The platform of a package, derived from its name, for example `@x/binding-linux-x64-musl`. */
function platformOf(name: string): object {
  const words = name.split(/[-/]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (!os || !cpu)
    throw new Error(`${name}: its name does not say for which platform it is; write its entry by hand`);
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : "glibc";
  return { cpu: [cpu], os: [os], ...(os === "linux" ? { libc: [libc] } : {}) };
}

async function complete(path: string): Promise<number> {
  const lock = JSON.parse(await readFile(path, "utf8"));
  const missing = missingPlatforms(lock.packages);
  const entries = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) });
  lock.packages = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  if (missing.size > 0) await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`);
  return missing.size;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  let added = 0;
  for (const path of lockfiles) added += await complete(path);
  process.stdout.write(`${added} packages for other platforms added\n`);
}
