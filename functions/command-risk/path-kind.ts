// What kind of file a path names, by its text alone (the edge sees no files): what emptying or replacing it would cost.
import { leavesWorkspace } from "./outside-path.ts";
import type { Word } from "./shell-word.ts";

/** Folders that the next run creates again. */
const scratchFolder =
  /(^|\/)(build|dist|out|output|target|tmp|temp|\.?cache|coverage|logs?|reports?|test-results|artifacts|results|node_modules|__pycache__|\.next|\.turbo|\.venv|bench)\//i;
const scratchFile =
  /\.(log|out|err|tmp|temp|pid|bak|orig|rej|patch|diff|trace|prof|cpuprofile|swp|old|\d+)$|^nohup\.out$/i;
/** Source code and the like: a redirect over one of these destroys what a person wrote. */
const code =
  /\.([cm]?[jt]sx?|d\.ts|py|pyi|rs|go|c|h|cc|hh|cpp|hpp|cxx|java|kt|kts|scala|rb|php|pl|pm|lua|swift|m|mm|cs|fs|vb|ex|exs|erl|hs|ml|clj|dart|r|jl|zig|nim|vue|svelte|astro|css|scss|sass|less|sh|bash|zsh|fish|ps1|bat|tf|proto|graphql|prisma|gradle|cmake|mk|sol|ipynb|db|sqlite3?|pem|key|lock)$/i;
/** Formats that programs also write their results in. */
const document = /\.(json[c5]?|ya?ml|toml|xml|html?|md|mdx|rst|sql|svg|ini|cfg|conf|env)$/i;
const output =
  /(^|[-_.])(out(put)?|results?|reports?|logs?|errors?|tmp|temp|dump|bench\w*|stats|audit|coverage|diff|list|actual|new|generated|backup|copy|changes|notes)([-_.\d]|$)/i;
/** Files that a project keeps, whatever their ending. */
const named =
  /^(makefile|dockerfile|containerfile|gemfile|rakefile|procfile|justfile|vagrantfile|jenkinsfile|brewfile|license|licence|copying|notice|authors|codeowners|readme|changelog|contributing|security|version|requirements[\w-]*\.txt|constraints[\w-]*\.txt|cmakelists\.txt|robots\.txt|license\.txt|go\.(mod|sum)|\.(env|git|docker|npm|nvm|eslint|prettier|editorconfig|babel|node-version|python-version|tool-versions)[\w.-]*)(\.(md|txt|rst))?$/i;

export type PathKind = "scratch" | "kept" | "other";

/** `scratch`: made again by the next run, or nobody's. `kept`: source, settings, data. `other`: cannot be told. */
export function pathKind(path: string): PathKind {
  const clean = path.replace(/^\.\//, "");
  if (/^\/(var\/)?tmp\/|^\/dev\//.test(clean)) return "scratch";
  const name = clean.slice(clean.lastIndexOf("/") + 1);
  if (scratchFile.test(name)) return "scratch";
  if (scratchFolder.test(clean) && !clean.includes("..")) return "scratch";
  if (named.test(name) || code.test(name)) return "kept";
  return document.test(name) && !output.test(name) ? "kept" : "other";
}

/** A part of `path` is a git folder, `.git` written as a pattern and `$(git rev-parse --git-dir)` included. */
export function inGitFolder({ text, pattern, scripts }: Word): boolean {
  return (
    scripts.some((script) => /--(absolute-)?git-[dpc]/.test(script)) ||
    text
      .split("/")
      .some((part) => /^\.git$/i.test(part) || (pattern && part.startsWith(".") && globbed(part)))
  );
}

function globbed(part: string): boolean {
  if (part === "." || part === ".." || !/[*?[]/.test(part) || /^\.?\*/.test(part)) return false;
  const source = part
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  try {
    return new RegExp(`^${source}$`, "i").test(".git");
  } catch {
    return true;
  }
}

/** What editors and shells of the host run by themselves later: tasks, settings, directory hooks. */
const runsLater = /(^|\/)(\.vscode|\.idea|\.fleet)\/|(^|\/)\.envrc$/;

/** Placeholder for a folder computed in code, in front of the path that follows it. */
export const madeUpFolder = "/made.invalid";

/** Whether surely no snapshot has this path: after `cd sub`, `../a` may still be in the workspace. */
export function isUnheld(word: Word): boolean {
  return inGitFolder(word) || (/^[~$/]/.test(word.text) && leavesWorkspace(word.text));
}

/** Why a write of any kind to `path` asks; undefined if it does not. */
export function writeReason(word: Word): string | undefined {
  const { text } = word;
  if (inGitFolder(word)) return `Changes ${text}, inside git's own folder.`;
  if (runsLater.test(text)) return `Changes ${text}, which editors or shells run by themselves later.`;
  if (text.startsWith(madeUpFolder))
    return `Changes …${text.slice(madeUpFolder.length)}, at a place that is only known when it runs.`;
  return leavesWorkspace(text) ? `Changes ${text}, outside the workspace.` : undefined;
}

/**
 * Why replacing the contents of `path` asks; undefined if it does not. `emptied`: nothing comes in their place;
 * `shown`: the command shows what does.
 */
export function replaceReason(word: Word, emptied: boolean, shown = false): string | undefined {
  const written = writeReason(word);
  if (written !== undefined) return written;
  const kind = pathKind(word.text);
  // `>(tee log)` is no file.
  if (kind === "scratch" || (word.text === ">" && word.unknown)) return undefined;
  if (word.unknown) return `Replaces a file whose name is only known when it runs: ${word.text}.`;
  if (emptied) return `Empties ${word.text}.`;
  return kind === "kept" && !shown ? `Replaces all of ${word.text}.` : undefined;
}
