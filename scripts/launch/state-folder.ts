// Chooses and creates the folder in which sessions are stored. It must be outside the workspace, because the agent can
// write there.
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { temporaryState } from "./places.ts";
import { SettingsError } from "./settings-error.ts";

export interface LaunchStateFolder {
  /** Absolute path without symbolic links. */
  path: string;
  isTemporary: boolean;
}

/**
 * `wanted`: the absolute path that a person asked for. Otherwise the first of `usual` that is writable and outside
 * `workspace` is used or, if there is none, a temporary folder of this user. Throws SettingsError.
 */
export function stateFolder(
  wanted: string | undefined,
  usual: readonly string[],
  workspace: string | undefined,
): LaunchStateFolder {
  if (wanted !== undefined) {
    if (!canMake(wanted))
      throw new SettingsError(
        `HANDRAIL_STATE is "${wanted}", and that folder cannot be made or written; choose another.`,
      );
    return { path: outside(realpathSync(wanted), workspace), isTemporary: false };
  }
  const free = usual.filter((path) => workspace === undefined || !isWithin(workspace, realOf(path)));
  if (free.length === 0) return { path: outside(usual.at(-1) ?? "", workspace), isTemporary: false };
  const found = free.find(canMake);
  if (found !== undefined) return { path: realpathSync(found), isTemporary: false };
  return { path: outside(temporary(free[0] ?? ""), workspace), isTemporary: true };
}

function outside(path: string, workspace: string | undefined): string {
  if (workspace === undefined || !isWithin(workspace, path)) return path;
  throw new SettingsError(
    `The state folder "${path}" lies inside the workspace; set HANDRAIL_STATE to a folder outside it.`,
  );
}

function canMake(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Every user can write to its parent folder, so it must belong to this user alone. */
function temporary(instead: string): string {
  const path = temporaryState();
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // Either it exists already or it cannot be created; the checks below decide.
  }
  const found = existsSync(path) ? lstatSync(path) : undefined;
  const isOurs = found?.isDirectory() && (found.mode & 0o077) === 0 && found.uid === process.getuid?.();
  if (isOurs && canMake(path)) return realpathSync(path);
  throw new SettingsError(
    `The state folder "${instead}" cannot be written; choose another with --state FOLDER (HANDRAIL_STATE).`,
  );
}

/** The real path of `path`, even if its last parts do not exist yet. */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !way.startsWith("/"));
}
