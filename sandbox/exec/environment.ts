// The basic environment of commands: PATH, HOME and LANG. Of the server's own environment, only its PATH is
// used. Also finds the machine's programs, except those that a command could have replaced.
import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../paths/inside.ts";

const standardPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Real paths of the folders that commands write to. */
let open: readonly string[] = [];
/** Entries of the PATH whose contents commands can change. */
let writable: string[] = [];

/**
 * From now on, no file in `folders` (real paths) is used as one of the server's own programs, whenever it
 * appears.
 */
export function runNothingIn(folders: readonly string[]): void {
  open = folders;
  writable = commandPath().filter(isOpen);
}

/**
 * Whether a command can change what a path leads to, because it can write to a folder above it or to a link
 * on the way.
 */
function isOpen(path: string): boolean {
  // A missing path counts too: it may be a link whose target does not exist yet.
  if (!existsSync(path) || open.some((folder) => isInside(folder, path))) return true;
  if (path === "/") return false;
  const link = lstatSync(path).isSymbolicLink();
  return (link && isOpen(resolve(realpathSync(dirname(path)), readlinkSync(path)))) || isOpen(dirname(path));
}

/** The folders of `commandPath` that no command can write to. The server's own programs come from these. */
export function machinePath(): string[] {
  return commandPath().filter((entry) => !writable.includes(entry));
}

/** Folders of the server's PATH with programs of the machine, not of the project that started the server. */
export function commandPath(): string[] {
  const own = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !/\/node_modules\/|\/node-gyp-bin\/?$/.test(`${entry}/`));
  // The person's order is kept if it has the folder of the `node` that runs this server.
  const node = dirname(process.execPath);
  return [...new Set([...(own.includes(node) ? [] : [node]), ...own, ...standardPath])];
}

/** The full path of a program of the machine, or undefined. Programs in the workspace are never found. */
export function findProgram(name: string, folders: readonly string[] = machinePath()): string | undefined {
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile() && !isOpen(path)) return path;
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}

export function baseEnvironment(home: string, path: readonly string[]): Record<string, string> {
  return { PATH: path.join(delimiter), HOME: home, LANG: "C.UTF-8" };
}
