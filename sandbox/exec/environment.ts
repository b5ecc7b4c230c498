// The environment that commands get: PATH, HOME, LANG, and nothing else of the server's.
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../paths/inside.ts";

const standardPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Folders of the server's PATH that hold programs of the machine, not of the project that started the server. */
export function machinePath(path = process.env.PATH ?? ""): string[] {
  const own = path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !/\/node_modules\/|\/node-gyp-bin\/?$/.test(`${entry}/`));
  return [...new Set([nodeBin(), ...own, ...standardPath])];
}

/** The folder of the `node` that runs this server: commands find the same one. */
export function nodeBin(): string {
  return dirname(process.execPath);
}

/** Folders and files that have to be visible for `node` and `npm` to run, beside the system's own. */
export function nodePlaces(): string[] {
  const executable = realpathSync(process.execPath);
  const prefix = dirname(dirname(executable));
  const isInstall =
    existsSync(join(prefix, "lib", "node_modules")) || existsSync(join(prefix, "include", "node"));
  if (isInstall && prefix !== "/" && !isInside(prefix, homedir())) return [prefix];
  return [executable];
}

/** The full path of a program of the machine, or undefined. Never one of the workspace. */
export function findProgram(name: string, folders: readonly string[] = machinePath()): string | undefined {
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

export function baseEnvironment(home: string, path: readonly string[]): Record<string, string> {
  return { PATH: path.join(delimiter), HOME: home, LANG: "C.UTF-8" };
}
