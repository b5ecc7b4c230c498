// Finds sockets that a command left behind. A service of the host may have made a socket of the same name at
// the same moment, and neither name nor time tells whose it is. But a socket without a listener is of no use
// to anybody, because bind() refuses a path that exists.
import { lstatSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "../paths/fs-error.ts";
import { openFolder } from "../paths/inside.ts";
import { osPath } from "../paths/os-path.ts";
import { entryAt, type FolderEntry } from "../workspace/looked-at.ts";

/**
 * The sockets among `entries` that have no listener. Leaves out uncertain cases, and FIFOs, which any process
 * can open later.
 */
export async function abandoned(root: string, entries: readonly FolderEntry[]): Promise<FolderEntry[]> {
  const left: FolderEntry[] = [];
  for (const entry of entries) if (await isAbandoned(root, entry)) left.push(entry);
  return left;
}

async function isAbandoned(root: string, { path, stamp }: FolderEntry): Promise<boolean> {
  try {
    if (!lstatSync(osPath(join(root, path))).isSocket() || isBound(basename(path))) return false;
    const folder = dirname(path);
    const parent = await openFolder(root, folder === "." ? "" : folder);
    try {
      // The address of a socket holds at most 107 bytes: the folder's handle makes the path short.
      const refused = await isRefused(join(parent.at, basename(path)));
      return refused && entryAt(root, path)?.stamp === stamp;
    } finally {
      await parent.handle.close();
    }
  } catch {
    return false;
  }
}

/**
 * Whether a socket of that name is bound, and so waits for datagrams or is about to listen. The kernel lists
 * sockets by the path given to bind(), which may be relative.
 * https://man7.org/linux/man-pages/man5/proc_net.5.html
 */
function isBound(name: string): boolean {
  return readFileSync("/proc/net/unix", "utf8")
    .split("\n")
    .some((line) => line.endsWith(`/${name}`) || line.endsWith(` ${name}`));
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.once("connect", () => end(false));
    socket.once("error", (error) => end(errnoOf(error) === "ECONNREFUSED"));
  });
}
