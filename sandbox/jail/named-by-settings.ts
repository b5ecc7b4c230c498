// Finds the files inside a workspace that a person's git settings name: folders of hooks, further settings,
// programs. Git on the host runs or reads them like its own settings, so they are held like those.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import * as limits from "../limits.ts";
import { isInside } from "../paths/inside.ts";
import { smallText, within } from "../workspace/looked-at.ts";
import type { GitFolder, ScannedTree } from "../workspace/scan.ts";
import { settingsNames } from "./git-settings.ts";
import { type ConfigEntry, settingsIn } from "./protected-config.ts";

/** Only settings with one of these words can name a file that git itself runs or reads as settings. */
const telling =
  /hook|include|fsmonitor|command|cmd|tool|program|editor|pager|helper|askpass|clean|smudge|process|textconv|difffilter|external|driver|attributesfile|templatedir|gitproxy|uploadpack|receivepack/i;
/** Nested includes; git itself stops at 10. */
const deepest = 10;

/** Caches the settings of each text, because most commands find the same texts. */
export class NamedBySettings {
  readonly #root: string;
  #parsed = new Map<string, ConfigEntry[]>();

  /** `root`: the real path of the workspace. */
  constructor(root: string) {
    this.#root = root;
  }

  /** `outside`: the workspace's own repository, if it is elsewhere. */
  async of(found: Pick<ScannedTree, "gitFolders">, outside: readonly Outside[]): Promise<NamedPath[]> {
    const before = this.#parsed;
    this.#parsed = new Map();
    const paths = new Map<string, NamedPath>();
    const add = (one: ToldNames, top: string) => {
      for (const named of pathsOf(one, top))
        if (named.path !== this.#root && isInside(this.#root, named.path))
          paths.set(named.path, { ...named, path: relative(this.#root, named.path) });
    };
    const personal = await this.#personal(before);
    for (const folder of found.gitFolders) {
      const gitDir = join(this.#root, folder.path);
      const texts = settingsNames(folder).map((name) => ({
        file: join(gitDir, name),
        text: smallText(this.#root, within(folder.path, name), limits.gitConfigBytes) ?? "",
      }));
      const entries = await this.#entries(texts, before);
      const top = topOf(
        gitDir,
        folder,
        entries.map(({ entry }) => entry),
      );
      for (const one of [...entries, ...personal]) add(one, top);
    }
    for (const { configs, top } of outside) {
      const texts = configs.map((file) => ({ file, text: hostText(file) }));
      for (const one of [...(await this.#entries(texts, before)), ...personal]) add(one, top);
    }
    return [...paths.values()];
  }

  /** The person's own settings, which apply to all repositories. */
  #personal(before: ReadonlyMap<string, ConfigEntry[]>): Promise<ToldNames[]> {
    const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
    const files = [join(homedir(), ".gitconfig"), join(config, "git", "config")];
    return this.#entries(
      files.map((file) => ({ file, text: hostText(file) })),
      before,
    );
  }

  /** The settings in `texts`, and in the files of the workspace that they include. */
  async #entries(
    texts: readonly { file: string; text: string }[],
    before: ReadonlyMap<string, ConfigEntry[]>,
    depth = 0,
  ): Promise<ToldNames[]> {
    const told: ToldNames[] = [];
    for (const { file, text } of texts) {
      if (!telling.test(text)) continue;
      const entries = this.#parsed.get(text) ?? before.get(text) ?? (await settingsIn(text)) ?? [];
      this.#parsed.set(text, entries);
      for (const entry of entries) {
        told.push({ file, entry });
        const included = includedBy(file, entry);
        if (included === undefined || depth >= deepest) continue;
        if (!isInside(this.#root, included)) continue;
        const more = { file: included, text: hostText(included) };
        told.push(...(await this.#entries([more], before, depth + 1)));
      }
    }
    return told;
  }
}

export interface NamedPath {
  /** Relative to the workspace, with links not resolved. Nothing need exist there. */
  path: string;
  /** true = a word of a program's command line that may not be a path: it counts only if it is a file. */
  maybe: boolean;
}

export interface Outside {
  /** Settings files. */
  configs: readonly string[];
  /** The working tree of the repository. */
  top: string;
}

interface ToldNames {
  /** The file with the setting. */
  file: string;
  entry: ConfigEntry;
}

function hostText(file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    return text.length > limits.gitConfigBytes ? "" : text;
  } catch {
    return "";
  }
}

/** The folder that relative paths in settings start from: git runs hooks and programs in it. */
function topOf(gitDir: string, { path }: GitFolder, entries: readonly ConfigEntry[]): string {
  const worktree = entries.find(({ section, key }) => section === "core" && key === "worktree")?.value;
  if (worktree !== undefined) return resolve(gitDir, worktree);
  return basename(path) === ".git" ? dirname(gitDir) : gitDir;
}

function includedBy(file: string, { section, key, value = "" }: ConfigEntry): string | undefined {
  if (!section.startsWith("include") || key !== "path" || value === "") return undefined;
  return resolve(dirname(file), atHome(value));
}

/** All paths are absolute. */
function pathsOf({ file, entry }: ToldNames, top: string): NamedPath[] {
  const { section, key, value = "" } = entry;
  const included = includedBy(file, entry);
  if (included !== undefined) return [{ path: included, maybe: false }];
  if (section === "core" && key === "hookspath") {
    const folder = resolve(top, atHome(value));
    // Husky's hooks run the files in the parent of their folder. https://typicode.github.io/husky
    return [{ path: basename(folder) === "_" ? dirname(folder) : folder, maybe: false }];
  }
  const isTool = key === "path" && section.includes("tool");
  if (section === "alias" || !(isTool || telling.test(key))) return [];
  // A program's command line. Only words with a slash can name a file of the workspace: a person may well
  // name `make`, which is on the PATH.
  const words = value.split(/^!|[\s'"]+/).filter(Boolean);
  return words.flatMap((word, index) =>
    word.includes("/") ? [{ path: resolve(top, atHome(word)), maybe: index > 0 }] : [],
  );
}

function atHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}
