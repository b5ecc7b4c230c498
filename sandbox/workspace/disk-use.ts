// Measures how much disk a folder takes and how much is free. Knows no quota.
import { stat, statfs } from "node:fs/promises";
import { findProgram } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import * as limits from "../limits.ts";

/** The file system that a folder is on; 0 = the folder is gone. */
export async function deviceOf(folder: string): Promise<number> {
  return (await stat(folder).catch(() => undefined))?.dev ?? 0;
}

/** Free bytes. Each free inode counts as much as a file without content. */
export async function freeOf(root: string): Promise<number> {
  const { bfree, bsize, ffree } = await statfs(root);
  return bfree * bsize + ffree * limits.inodeBytes;
}

export interface DiskUse {
  bytes: number;
  /** Files and folders; 0 where they cannot be counted. */
  files: number;
}

/**
 * The bytes that a folder takes on the disk. Blocks count, not lengths, so that holes in sparse files are
 * free and a file with two names counts once. Each file adds a little, because a disk can run out of inodes
 * too. Measured by `du` in its own process, which follows no link. Undefined if it cannot be measured.
 */
export async function useBeneath(root: string): Promise<DiskUse | undefined> {
  const kibibytes = await du(root, ["-skx"]);
  if (kibibytes === undefined) return undefined;
  // Only GNU du counts files.
  const files = (process.platform === "linux" ? await du(root, ["-sx", "--inodes"]) : undefined) ?? 0;
  return { bytes: kibibytes * 1024 + files * limits.inodeBytes, files };
}

/**
 * The bytes that each of `paths` takes on the disk: blocks, folders included. A missing path takes nothing.
 * Undefined if it cannot be measured.
 */
export async function diskBytesOf(paths: readonly string[]): Promise<number[] | undefined> {
  const sizes: number[] = [];
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const some = paths.slice(at, at + pathsAtOnce);
    const printed = await duOutput(["-skx", "--", ...some]);
    if (printed === undefined) return undefined;
    const told = new Map(
      [...printed.matchAll(/^(\d+)\t(.*)$/gm)].map(([, kibibytes, path]) => [path, kibibytes]),
    );
    sizes.push(...some.map((path) => Number(told.get(path) ?? 0) * 1024));
  }
  return sizes;
}

/** Far below the limit on a program's arguments. */
const pathsAtOnce = 400;

async function du(root: string, options: string[]): Promise<number | undefined> {
  const sum = /^(\d+)\t[^\n]*\n$/.exec((await duOutput([...options, "--", root])) ?? "")?.[1];
  return sum === undefined ? undefined : Number(sum);
}

async function duOutput(args: string[]): Promise<string | undefined> {
  const spec = { cwd: "/", env: {}, timeoutMs: limits.diskWalkMs, maxOutputBytes: 1024 * 1024 };
  const file = findProgram("du") ?? "du";
  const outcome = await runProcess({ ...spec, file, args }).catch(() => undefined);
  // `du` reports files that vanished meanwhile as errors, but prints the sums all the same.
  return outcome?.timedOut ? undefined : outcome?.stdout;
}
