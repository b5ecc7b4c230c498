// The environment that commands get: PATH, HOME, LANG, and nothing else of the server's.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";

const standardPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Folders of the server's PATH that hold programs of the machine, not of the project that started the server. */
export function machinePath(path = process.env.PATH ?? ""): string[] {
  const own = path
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
