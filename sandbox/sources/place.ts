// Decides where a new sandbox works and which files it gets: the served folder, one below it, a clone, or the
// sample.
import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { Source } from "../../shared/sandbox.ts";
import { isInside } from "../paths/inside.ts";
import type { WorktreeRecord } from "../sandbox.ts";
import { type CloneOptions, cloneInto } from "./clone.ts";
import { addressOf } from "./git-address.ts";
import { sampleInto } from "./sample.ts";

export interface SandboxPlace {
  root: string;
  /** true = a copy of the sandbox's own, which is deleted with it. */
  owned: boolean;
  /** A name for people. */
  name: string;
  /** The source without credentials, as it may be stored. */
  source: Source | null;
  /** Makes the files. Returns the worktree that it made, if it made one. */
  make(root: string, options: CloneOptions): Promise<WorktreeRecord | undefined>;
}

/** `own`: the folder for a copy. `served`: real path of the served folder. Throws HandrailError. */
export async function sandboxPlace(
  source: Source | undefined,
  own: string,
  served: string | undefined,
): Promise<SandboxPlace> {
  const nothing = async () => undefined;
  if (source && "git" in source) {
    const { url, name } = addressOf(source.git);
    const make = (root: string, options: CloneOptions) => cloneInto(root, source, options).then(nothing);
    return { root: own, owned: true, name, source: { ...source, git: url }, make };
  }
  if (source && "path" in source) {
    const root = await servedPath(source.path, served);
    return { root, owned: false, name: basename(root), source, make: nothing };
  }
  if (!source && served) {
    await checkServed(served);
    return { root: served, owned: false, name: basename(served), source: null, make: nothing };
  }
  const make = (root: string, options: CloneOptions) => sampleInto(root, options).then(nothing);
  return { root: own, owned: true, name: "sample project", source: source ?? null, make };
}

async function servedPath(path: string, served: string | undefined): Promise<string> {
  if (!served)
    throw new HandrailError(
      "forbidden",
      "source.path: this server serves no folder. Start it with --workspace.",
    );
  await checkServed(served);
  const outside = new HandrailError(
    "path_escape",
    "source.path: must be the served folder or a folder beneath it.",
  );
  const real = await realpath(path.startsWith("/") ? path : join(served, path)).catch(() => undefined);
  if (real === undefined || !isInside(served, real)) throw outside;
  if (!(await isFolder(real))) throw new HandrailError("invalid_request", "source.path: is not a folder.");
  return real;
}

async function checkServed(served: string): Promise<void> {
  if (await isFolder(served)) return;
  throw new HandrailError(
    "not_found",
    "The served folder is no longer there. Put it back, or start Handrail with another one.",
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
