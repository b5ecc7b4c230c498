// Folders and files of this machine that the jail shows, and a check that it shows exactly these. Between our
// look at a path and bubblewrap's mount of it, a command of another sandbox may replace the path with a link.
import { closeSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { HandrailError } from "../../shared/errors.ts";
import { findProgram } from "../exec/environment.ts";
import { openPathOnly, replaced, replacedError } from "../paths/inside.ts";

export interface Bind {
  /** Real path on this machine. A path with a link in it is refused. */
  source: string;
  /** Path at which the jail shows it. */
  at: string;
  writable: boolean;
}

/** A place in the jail, with the device and inode that it must show. */
export interface HeldPlace {
  at: string;
  id: string;
}

/** The arguments with which bubblewrap mounts them. */
export function bindArguments(binds: readonly Bind[]): string[] {
  return binds.flatMap(({ source, at, writable }) => [writable ? "--bind" : "--ro-bind", source, at]);
}

/** Whether these arguments start one of our jails: each of them begins with the check of its folders. */
export function startsJail(args: readonly string[]): boolean {
  return args.some((arg) => arg.includes(replaced));
}

/**
 * A line of shell that ends the process unless each place in the jail is exactly the folder or file that its
 * source is now, or that `held` names. It must run before anything that a command can influence, including
 * its variables. Throws `path_escape`, or `too_large` if there are too many places to compare.
 */
export function bindCheck(binds: readonly Bind[], held: readonly HeldPlace[] = []): string {
  // If two folders are mounted at one place, the later one hides the earlier one.
  const shown = new Map(binds.map((bind) => [bind.at, identityOf(bind.source)]));
  for (const { at, id } of held) shown.set(at, id);
  const places = [...shown.keys()].map(quoted).join(" ");
  const stat = quoted(findProgram("stat") ?? "/usr/bin/stat");
  const wanted = quoted([...shown.values()].join("\n"));
  const check = `[ "$(${stat} -c %d:%i -- ${places})" = ${wanted} ] || { echo ${quoted(replaced)} >&2; exit ${replacedExit}; }`;
  // The comparison must not be skipped: without it, a mount could show any folder of this machine.
  if (Buffer.byteLength(check) > mostBytes) throw new HandrailError("too_large", tooMany);
  return check;
}

/**
 * The check is part of one argument of a program, and Linux limits an argument to 128 KiB: some 1,500 places.
 */
const mostBytes = 110_000;
const tooMany =
  "The workspace has too many repositories, or too long paths to them, to keep safe. Serve a smaller folder.";

/** Exit code of a process that ended because a mount showed something else. Nothing else ran in it. */
export const replacedExit = 126;

function identityOf(path: string): string {
  const file = openOf(path);
  try {
    // The path led through a link to something else.
    if (readlinkSync(`/proc/self/fd/${file}`) !== path) throw replacedError();
    const { dev, ino } = fstatSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } finally {
    closeSync(file);
  }
}

function openOf(path: string): number {
  try {
    return openSync(path, openPathOnly);
  } catch (cause) {
    throw replacedError(cause);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
