// Finds entries in a folder tree that could make a program of the host run something. It looks only at names,
// types and times, and follows no link. A folder with an unchanged ctime is not read again.
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { folded, isEditorName } from "../../shared/editor-names.ts";
import { HandrailError } from "../../shared/errors.ts";
import { looksLikeGit } from "../jail/protected-names.ts";
import * as limits from "../limits.ts";
import { entriesIn, entryAt, type FolderEntry, within } from "./looked-at.ts";
import { isUnopened, type ReachedSettings, reachedSettings } from "./reached-settings.ts";

export type GitNames = ReadonlyMap<string, readonly string[]>;

export interface GitFolder extends FolderEntry {
  /** The names as spelled on the disk, by their folded spelling. */
  names: GitNames;
  /** true = its `commondir` says where the configuration is. */
  linked: boolean;
}

export interface ScannedTree {
  gitFolders: GitFolder[];
  /** Files called `.git`. */
  gitFiles: FolderEntry[];
  /** Links called `.git`, and links in git folders, through which git would write. */
  gitLinks: FolderEntry[];
  /** Sockets, FIFOs and devices. */
  specials: FolderEntry[];
  editors: FolderEntry[];
  /** Editors' settings that links lead to, in folders where `editors` are not searched. */
  reached: ReachedSettings[];
  /** Entries that a watch put aside; see protected-watch.ts. */
  aside: FolderEntry[];
  /** Folders with entries that are too deep to be scanned. */
  deep: FolderEntry[];
  /** Folders that this server cannot list but that programs of its user can pass through. */
  closed: FolderEntry[];
}

/** The cached result for one folder. */
interface Known {
  stamp: string;
  folders: string[];
  names: GitNames | undefined;
  closed: boolean;
  gitFiles: string[];
  links: string[];
  specials: string[];
  editors: string[];
  aside: string[];
}

export const asidePrefix = ".handrail-tmp-out-";
/**
 * Folders in which git itself writes below its own folder. A folder that only looks like git's, such as a
 * project with `HEAD`, `objects` and `refs`, contains other folders too.
 */
const gitParts = new Set([
  ...["objects", "refs", "logs", "info", "hooks", "worktrees", "modules", "branches", "remotes"],
  ...["rebase-merge", "rebase-apply", "sequencer"],
]);
/**
 * A folder that changed less than this before it was read may change again without a new ctime, because
 * kernels count time in ticks of 1 to 10 ms.
 */
const settledNs = 50_000_000n;
/** Folders scanned before other work gets its turn: about 5 ms. */
const inOneGo = 500;

export class WorkspaceScanner {
  readonly #root: string;
  #known = new Map<string, Known>();

  /** `root`: a real path. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Throws `too_large` if there are more folders than can be scanned. */
  async scan(): Promise<ScannedTree> {
    const found: ScannedTree = {
      ...{
        gitFolders: [],
        gitFiles: [],
        gitLinks: [],
        specials: [],
        editors: [],
        reached: [],
        aside: [],
        deep: [],
        closed: [],
      },
    };
    const next = new Map<string, Known>();
    const links: string[] = [];
    const open: { path: string; inParts: boolean }[] = [{ path: "", inParts: false }];
    for (let at = open.pop(); at; at = open.pop()) {
      if (next.size % inOneGo === inOneGo - 1) await setImmediate();
      if (next.size >= limits.scanFolders) throw tooMany();
      const entry = entryAt(this.#root, at.path);
      if (!entry) continue;
      const known = this.#look(entry);
      next.set(at.path, known);
      if (known.closed) found.closed.push(entry);
      const isGit = known.names !== undefined;
      if (known.names) {
        const linked = known.names.has("commondir");
        found.gitFolders.push({ ...entry, names: known.names, linked });
      }
      const unopened = isUnopened(at.path);
      if (!unopened) links.push(...known.links.map((name) => within(at.path, name)));
      this.#tell(at.path, known, { inGit: isGit || at.inParts, unopened }, found);
      for (const name of known.folders) {
        const path = within(at.path, name);
        const inParts = at.inParts || folded(name) === ".git" || (isGit && gitParts.has(folded(name)));
        // The kernel accepts no longer path, so these folders cannot be scanned, but git and editors can
        // still reach them step by step.
        if (Buffer.byteLength(path) > deepestPathBytes) found.deep.push(...ancestorOf(this.#root, path));
        else open.push({ path, inParts });
      }
    }
    found.reached.push(...reachedSettings(this.#root, next, links));
    this.#known = next;
    return found;
  }

  #tell(path: string, known: Known, at: { inGit: boolean; unopened: boolean }, found: ScannedTree): void {
    const add = (names: readonly string[], to: FolderEntry[]) => {
      for (const name of names) {
        const entry = entryAt(this.#root, within(path, name));
        if (entry) to.push(entry);
      }
    };
    add(known.specials, found.specials);
    add(known.aside, found.aside);
    add(known.gitFiles, found.gitFiles);
    add(at.inGit ? known.links : known.links.filter((name) => folded(name) === ".git"), found.gitLinks);
    if (!at.unopened) add(known.editors, found.editors);
  }

  #look(entry: FolderEntry): Known {
    const known = this.#known.get(entry.path);
    if (known && known.stamp !== "" && known.stamp === entry.stamp) return known;
    const now = BigInt(Date.now()) * 1_000_000n;
    const changed = BigInt(entry.stamp.slice(entry.stamp.lastIndexOf(":") + 1));
    return { ...this.#read(entry.path), stamp: now - changed > settledNs ? entry.stamp : "" };
  }

  #read(path: string): Omit<Known, "stamp"> {
    const known = { folders: [], gitFiles: [], links: [], specials: [], editors: [], aside: [] } as {
      [name in Exclude<keyof Known, "stamp" | "names" | "closed">]: string[];
    };
    const names = new Map<string, string[]>();
    const entries = entriesIn(this.#root, path);
    const closed = entries === "closed";
    for (const entry of closed ? [] : entries) {
      const { name } = entry;
      const plain = folded(name);
      names.set(plain, [...(names.get(plain) ?? []), name]);
      if (name.startsWith(asidePrefix)) known.aside.push(name);
      else if (entry.isDirectory()) known.folders.push(name);
      else if (entry.isSymbolicLink()) known.links.push(name);
      else if (!entry.isFile()) known.specials.push(name);
      else if (plain === ".git") known.gitFiles.push(name);
      if (isEditorName(name, path)) known.editors.push(name);
    }
    // With such a name, one `git init` is enough to make the folder a repository.
    const isGit = folded(basename(path)) === ".git" || looksLikeGit(new Set(names.keys()));
    return { ...known, closed, names: isGit && !closed ? names : undefined };
  }
}

/**
 * PATH_MAX is 4,096 bytes. This leaves room for the workspace's own path before it and the longest possible
 * name after it.
 */
const deepestPathBytes = 3_000;
/**
 * When a folder is too deep, an ancestor with a path of this length is taken out instead: every tool accepts
 * a path of this length.
 */
const ancestorChars = 1_000;

function ancestorOf(root: string, path: string): FolderEntry[] {
  const end = path.lastIndexOf("/", ancestorChars);
  return [entryAt(root, end > 0 ? path.slice(0, end) : path)].filter((entry) => entry !== undefined);
}

function tooMany(): HandrailError {
  return new HandrailError(
    "too_large",
    `The workspace has more than ${limits.scanFolders} folders, too many to keep safe. Serve a smaller folder with --workspace or HANDRAIL_WORKSPACE.`,
  );
}
