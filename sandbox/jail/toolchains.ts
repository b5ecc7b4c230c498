// Decides which programs outside of the system's folders the jail shows, read-only: those on the PATH, with
// the installations that they belong to. It shows nothing else of a home folder.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../paths/inside.ts";
import { brewPrefix, isCommon, optionalSoftware, partsToHide, snapLaunchers } from "./tool-roots.ts";

export interface Toolchains {
  /** Real paths of the folders and files to show. None is inside another. */
  places: string[];
  /**
   * Their subfolders that hold running state (above all sockets) rather than installed files, or files that
   * fail in a jail.
   */
  hidden: string[];
  /** Folders for PATH: real paths, in order. */
  path: string[];
  /** Variables that tell version managers where their files are. */
  env: Record<string, string>;
}

export interface ToolchainSearch {
  home: string;
  /** Folders of the server's PATH, in order. */
  path: readonly string[];
  /** The `node` that runs this server. */
  node: string;
  /** Folders that the jail shows in any case. */
  system: readonly string[];
  /** No place may be, contain or lie inside one of these: the state folder. */
  hidden: readonly string[];
  /** More folders that the person names; "none" = nothing besides the system's own and `node`. */
  extra: readonly string[] | "none";
  env: NodeJS.ProcessEnv;
  /** Folders that hold installations of many vendors; `optionalSoftware` unless given. */
  optional?: readonly string[];
}

/** A folder that has one of these beside its `bin` is a single installation and nothing else. */
const marks = [
  "include/node",
  "lib/node_modules",
  "pyvenv.cfg",
  "conda-meta",
  "lib/rustlib",
  "lib/ruby",
  "pkg/tool",
  "lib/modules",
];

/** A version manager: where its programs are, and what else they need. */
interface Manager {
  /** Its folder in the home folder. */
  folder: string;
  /** The variable that names this folder. */
  variable: string;
  /** A part of it that writes to the folder and fails if it cannot. */
  writes?: string;
}

const managers: readonly Manager[] = [
  // pyenv's hook for `pip` rewrites the shims after each installation, and exits with 1 if they are
  // read-only.
  { folder: ".pyenv", variable: "PYENV_ROOT", writes: "pyenv.d/exec/pip-rehash" },
  { folder: ".rbenv", variable: "RBENV_ROOT" },
  { folder: ".nodenv", variable: "NODENV_ROOT" },
  { folder: ".goenv", variable: "GOENV_ROOT" },
  { folder: ".asdf", variable: "ASDF_DATA_DIR" },
  { folder: ".volta", variable: "VOLTA_HOME" },
  { folder: ".local/share/mise", variable: "MISE_DATA_DIR" },
];

/** Variables that are passed on if they name a place that is shown. */
const variables = ["CONDA_PREFIX", "DOTNET_ROOT", "GOROOT", "JAVA_HOME", "VIRTUAL_ENV"];

/**
 * How many links are followed from programs to installations, and from there (as in a virtual environment) to
 * other installations.
 */
const deepestLinks = 3;
const mostPlaces = 200;

export function findToolchains(search: ToolchainSearch): Toolchains {
  const found = new Finder(search);
  for (const folder of search.path) {
    // A `node` outside of a `bin` folder is shown alone, without the files beside it.
    if (folder === dirname(search.node) && basename(folder) !== "bin") found.add(search.node);
    else found.addBin(folder);
  }
  if (search.extra !== "none") for (const name of variables) found.addOptional(search.env[name] ?? "");
  const hidden = [...partsToHide(found.places), ...found.writes];
  // Folders that a person names are shown unchanged.
  if (search.extra !== "none") for (const folder of search.extra) found.add(folder);
  const places = [...found.places].filter(
    (place) => ![...found.places].some((other) => other !== place && isInside(other, place)),
  );
  const shown = [...search.system, ...places];
  const isShown = (path: string) => shown.some((place) => isInside(place, path));
  const env = { ...found.env };
  for (const name of variables) {
    const value = real(search.env[name] ?? "");
    if (value !== undefined && isShown(value)) env[name] = value;
  }
  const path = search.path.map((folder) => (isShown(folder) ? folder : (real(folder) ?? folder)));
  const holds = (folder: string) => isShown(folder) || places.some((place) => dirname(place) === folder);
  return { places, hidden, path: [...new Set(path)].filter(holds), env };
}

class Finder {
  readonly places = new Set<string>();
  readonly env: Record<string, string> = {};
  /** Parts of version managers that must not run in the jail. */
  readonly writes = new Set<string>();
  readonly #search: ToolchainSearch;
  readonly #home: string;
  readonly #optional: readonly string[];

  constructor(search: ToolchainSearch) {
    this.#search = search;
    this.#home = real(search.home) ?? search.home;
    this.#optional = search.optional ?? optionalSoftware;
  }

  /** Adds a place unless that would show the whole home folder or anything in the state folder. */
  add(place: string): void {
    const path = real(place);
    if (path === undefined || path === "/" || this.places.size >= mostPlaces) return;
    if (this.#search.system.some((folder) => isInside(folder, path))) return;
    if ([this.#home, ...this.#search.hidden].some((kept) => isInside(path, kept))) return;
    if (this.#search.hidden.some((kept) => isInside(kept, path))) return;
    this.places.add(path);
  }

  /** Adds a folder of programs, the installation around it, and the targets of its links. */
  addBin(folder: string, depth = 0): void {
    const bin = real(folder);
    if (bin === undefined || !leadsToFolder(bin) || bin === snapLaunchers) return;
    if (this.#search.system.some((shown) => isInside(shown, bin))) {
      // Third-party packages leave links in /usr/bin to their programs in /opt.
      for (const target of targetsIn(bin)) this.addOptional(target);
      return;
    }
    if (isInside(brewPrefix, bin)) {
      this.add(brewPrefix);
      return;
    }
    const manager = managers.find((known) => isInside(join(this.#home, known.folder), bin));
    if (manager) {
      const root = join(this.#home, manager.folder);
      this.add(root);
      this.env[manager.variable] = root;
      const writes = manager.writes && real(join(root, manager.writes));
      if (writes && leadsToFolder(writes)) this.writes.add(writes);
      return;
    }
    const installation = installationOf(bin, this.#home) ?? this.#optionalPart(bin) ?? bin;
    if (!isCommon(installation) && !this.#optional.includes(installation)) this.add(installation);
    if (dirname(bin) === join(this.#home, ".local")) this.add(join(dirname(bin), "lib", "node_modules"));
    if (bin === join(this.#home, ".cargo", "bin")) this.#addRustup();
    if (depth < deepestLinks) this.#addTargets(bin, depth);
  }

  /** The programs in ~/.cargo/bin are proxies for those of a toolchain. ~/.cargo itself contains credentials. */
  #addRustup(): void {
    const root = real(this.#search.env.RUSTUP_HOME ?? join(this.#home, ".rustup"));
    if (root === undefined || !existsSync(join(root, "toolchains"))) return;
    this.add(root);
    this.env.RUSTUP_HOME = root;
  }

  /** Shows the whole installation around a program or folder, if it is in a folder for optional software. */
  addOptional(path: string): void {
    const found = real(path);
    if (found === undefined || !this.#optional.some((root) => isInside(root, found))) return;
    const bin = leadsToFolder(found) ? found : dirname(found);
    const part = installationOf(bin, this.#home) ?? this.#optionalPart(bin);
    this.add(part ?? found);
  }

  /** In /opt, one installation is the parent of a `bin`, or else the folder itself, but never all of /opt. */
  #optionalPart(bin: string): string | undefined {
    const part = basename(bin) === "bin" || basename(bin) === "sbin" ? dirname(bin) : bin;
    const within = this.#optional.some((root) => root !== part && isInside(root, part));
    return within ? part : undefined;
  }

  #addTargets(bin: string, depth: number): void {
    for (const target of targetsIn(bin)) {
      const installation = installationOf(dirname(target), this.#home);
      if (installation === undefined) this.add(target);
      else if (!this.places.has(installation)) this.addBin(dirname(target), depth + 1);
    }
  }
}

/** The installation that the programs in `bin` belong to, if it can be determined. */
function installationOf(bin: string, home: string): string | undefined {
  const root = dirname(bin);
  // The folder .local of a home holds everything, including keyrings.
  if (basename(bin) !== "bin" || root === home || root === join(home, ".local")) return undefined;
  return marks.some((mark) => existsSync(join(root, mark))) || hasPython(root) ? root : undefined;
}

function hasPython(root: string): boolean {
  return entriesOf(join(root, "lib")).some(({ name }) => /^python3\.\d+$/.test(name));
}

/** Programs in other folders that the links in a folder lead to. */
function targetsIn(bin: string): string[] {
  return entriesOf(bin).flatMap((entry) => {
    const target = entry.isSymbolicLink() ? real(join(bin, entry.name)) : undefined;
    return target === undefined || isInside(bin, target) || leadsToFolder(target) ? [] : [target];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function real(path: string): string | undefined {
  try {
    return path === "" ? undefined : realpathSync(path);
  } catch {
    return undefined;
  }
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
