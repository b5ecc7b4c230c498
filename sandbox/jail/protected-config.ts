// Reduces the configuration of a repository that a command made: settings that git keeps for itself stay;
// those that start a program or read another file are dropped. Git itself parses the text, so that we cannot
// read it differently than git. It gets the text alone and no repository.
import { findProgram } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import { bareGitEnvironment } from "../workspace/git-process.ts";

export interface Reduced {
  text: string;
  /** Keys that were dropped; empty = the text may stay unchanged. */
  dropped: string[];
}

export interface ReduceOptions {
  /** Whether `core.worktree` may name this folder: a submodule's setting may, within the workspace. */
  mayHold(worktree: string): boolean;
  /** The text before the command. Settings that it already had may stay. */
  before?: string;
}

/** Keys that start no program and read no file, by section. All are lower case, as git lists them. */
const plainKeys: Readonly<Record<string, string>> = {
  core: "repositoryformatversion filemode bare logallrefupdates ignorecase symlinks precomposeunicode autocrlf eol safecrlf sparsecheckout sparsecheckoutcone protecthfs protectntfs compression loosecompression bigfilethreshold abbrev quotepath untrackedcache preloadindex sharedrepository trustctime checkstat commentchar splitindex deltabasecachelimit longpaths hidedotfiles",
  user: "name email useconfigonly",
  author: "name email",
  committer: "name email",
  init: "defaultbranch",
  push: "default autosetupremote followtags",
  pull: "rebase ff",
  fetch: "prune prunetags parallel",
  merge: "ff conflictstyle renames renamelimit",
  rebase: "autosquash autostash updaterefs",
  rerere: "enabled autoupdate",
  checkout: "defaultremote",
  status: "showuntrackedfiles submodulesummary",
  submodule: "active recurse fetchjobs",
  diff: "renames renamelimit algorithm mnemonicprefix noprefix colormoved",
  log: "date follow",
  color: "ui",
  gc: "auto autodetach autopacklimit",
  maintenance: "auto strategy",
  pack: "window depth threads usesparse writereverseindex",
  repack: "writebitmaps updateserverinfo",
  index: "version threads sparse skiphash",
  feature: "manyfiles",
  advice: "detachedhead",
  i18n: "commitencoding logoutputencoding",
  receive: "denycurrentbranch denynonfastforwards",
  lfs: "repositoryformatversion",
  extensions:
    "objectformat compatobjectformat refstorage partialclone preciousobjects worktreeconfig noop relativeworktrees",
};
const namedKeys: Readonly<Record<string, string>> = {
  remote:
    "url pushurl fetch push tagopt promisor partialclonefilter mirror prune prunetags skipfetchall skipdefaultupdate",
  branch: "remote pushremote merge rebase description vscode-merge-base gk-merge-base",
  submodule: "url active branch ignore fetchrecursesubmodules update",
};

/** undefined if git cannot read it. */
export async function reduceConfig(text: string, options: ReduceOptions): Promise<Reduced | undefined> {
  const entries = await settingsIn(text);
  if (!entries) return undefined;
  const before = options.before === undefined ? undefined : await settingsIn(options.before);
  const said = new Set(before?.map(written));
  const kept = entries.filter(
    (entry) =>
      said.has(written(entry)) || (isHarmless(entry, options) && !(before && leadsElsewhere(entry, before))),
  );
  const out = entries.filter((entry) => !kept.includes(entry));
  const texts = new Set(kept.map(written));
  // Restores addresses that the command replaced.
  const back = (before ?? []).filter(
    (entry) => isAddress(entry) && !texts.has(written(entry)) && out.some((one) => isSameKey(one, entry)),
  );
  return {
    text: [...kept, ...back].map(written).join(""),
    dropped: [...new Set(out.map(keyOf))],
  };
}

export interface ConfigEntry {
  section: string;
  /** The part in quotes of `[section "name"]`. */
  name: string | undefined;
  key: string;
  /** undefined = a key without a value, which means true. */
  value: string | undefined;
}

/** undefined if git cannot read the text. Sections and keys are in lower case. */
export async function settingsIn(text: string): Promise<ConfigEntry[] | undefined> {
  const outcome = await runProcess({
    file: findProgram("git") ?? "git",
    // For standard input git would read includes unless told otherwise.
    args: ["config", "--file", "-", "--no-includes", "--null", "--list"],
    ...{ cwd: "/", env: bareGitEnvironment(), input: text, keepControls: true },
    ...{ timeoutMs: 10_000, maxOutputBytes: 8 * 1024 * 1024 },
  }).catch(() => undefined);
  if (outcome?.exitCode !== 0 || outcome.truncated) return undefined;
  return outcome.stdout.split("\0").filter(Boolean).map(entryOf);
}

function entryOf(line: string): ConfigEntry {
  const end = line.indexOf("\n");
  const full = end < 0 ? line : line.slice(0, end);
  const [first, last] = [full.indexOf("."), full.lastIndexOf(".")];
  return {
    section: full.slice(0, first),
    name: first === last ? undefined : full.slice(first + 1, last),
    key: full.slice(last + 1),
    value: end < 0 ? undefined : line.slice(end + 1),
  };
}

function isHarmless({ section, name, key, value = "" }: ConfigEntry, options: ReduceOptions): boolean {
  if (section === "core" && name === undefined && key === "worktree") {
    return options.mayHold(value);
  }
  const known = name === undefined ? plainKeys : namedKeys;
  // Object.hasOwn, because a section may be called `constructor`.
  const keys = Object.hasOwn(known, section) ? (known[section] ?? "") : "";
  if (!keys.split(" ").includes(key)) return false;
  // If a remote has no address, git uses the remote's name as one.
  if (section === "remote" && startsHelper(name ?? "")) return false;
  if (isAddress({ section, key }) && startsHelper(value)) return false;
  return !(key === "update" && value.trim().startsWith("!"));
}

/** `ext::sh -c …`: a program that git starts for such an address. https://git-scm.com/docs/gitremote-helpers */
function startsHelper(address: string): boolean {
  return /^[A-Za-z0-9+.-]+::/.test(address);
}

/** Whether the setting tells git where to fetch from or push to. */
function isAddress({ section, key }: Pick<ConfigEntry, "section" | "key">): boolean {
  if (section === "branch") return key === "remote" || key === "pushremote";
  return section === "remote" || key === "url";
}

/**
 * Whether the setting gives an existing remote or submodule another address, or gives a branch a remote that
 * did not exist.
 */
function leadsElsewhere(entry: ConfigEntry, before: readonly ConfigEntry[]): boolean {
  if (!isAddress(entry)) return false;
  const hasRemote = (name: string | undefined) =>
    before.some((one) => one.section === "remote" && one.name === name);
  if (before.some((one) => isSameKey(one, entry))) return true;
  if (entry.section === "remote") return hasRemote(entry.name);
  return entry.section === "branch" && entry.value !== "." && !hasRemote(entry.value);
}

function keyOf({ section, name, key }: ConfigEntry): string {
  return [section, ...(name === undefined ? [] : [name]), key].join(".");
}

function isSameKey(one: ConfigEntry, other: ConfigEntry): boolean {
  return one.section === other.section && one.name === other.name && one.key === other.key;
}

function written({ section, name, key, value }: ConfigEntry): string {
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
  const head = name === undefined ? `[${section}]` : `[${section} ${quoted(name)}]`;
  if (value === undefined) return `${head}\n\t${key}\n`;
  const inside = quoted(value).replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b");
  return `${head}\n\t${key} = ${inside}\n`;
}
