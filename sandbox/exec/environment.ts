// The environment that commands get: PATH, HOME, LANG, and nothing else of the server's.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../paths/inside.ts";

const standardPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Entries of the PATH that commands can write to, or to what leads there. */
const writable = new Set<string>();

/** From now on nothing that lies in `folders` (real paths), or may come to lie there, is a program of the server's own. */
export function runNothingIn(folders: readonly string[]): void {
  const isIn = (path: string): boolean =>
    folders.some((folder) => isInside(folder, realpathSync(path))) || (path !== "/" && isIn(dirname(path)));
  for (const entry of commandPath()) {
    try {
      if (isIn(entry)) writable.add(entry);
    } catch {
      // A link may lead there, to what is not made yet.
      writable.add(entry);
    }
  }
}

/** Of `commandPath`, what no command can write to: where the server's own programs are. */
export function machinePath(): string[] {
  return commandPath().filter((entry) => !writable.has(entry));
}

/** Folders of the server's PATH that hold programs of the machine, not of the project that started the server. */
export function commandPath(): string[] {
  const own = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !/\/node_modules\/|\/node-gyp-bin\/?$/.test(`${entry}/`));
  // The person's order is kept where it finds the `node` that runs this server.
  const node = dirname(process.execPath);
  return [...new Set([...(own.includes(node) ? [] : [node]), ...own, ...standardPath])];
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
