// The kind of file that a path names, judged by its text alone because the edge sees no files. It decides how bad it
// would be to empty or replace the file.
import { asCode } from "../../shared/as-code.ts";
import { leavesWorkspace } from "./outside-path.ts";
import type { Word } from "./shell-word.ts";

/** Folders that the next build or test run creates again. */
const scratchFolder =
  /(^|\/)(build|dist|out|output|target|tmp|temp|\.?cache|coverage|logs?|reports?|test-results|artifacts|results|node_modules|__pycache__|\.next|\.turbo|\.venv|bench)\//i;
const scratchFile =
  /\.(log|out|err|tmp|temp|pid|bak|orig|rej|patch|diff|trace|prof|cpuprofile|swp|old|\d+)$/i;
/** Source code and similar files. A redirect onto one of them destroys what a person wrote. */
const code =
  /\.([cm]?[jt]sx?|py|pyi|rs|go|c|h|cc|hh|cpp|hpp|cxx|java|kt|kts|scala|rb|php|pl|pm|lua|swift|m|mm|cs|fs|vb|ex|exs|erl|hs|ml|clj|dart|r|jl|zig|nim|vue|svelte|astro|css|scss|sass|less|sh|bash|zsh|fish|ps1|bat|tf|proto|graphql|prisma|gradle|cmake|mk|sol|ipynb|db|sqlite3?|pem|key|lock)$/i;
/** Formats of documents, in which programs also write their results. */
const document = /\.(json[c5]?|ya?ml|toml|xml|html?|md|mdx|rst|sql|svg|ini|cfg|conf|env)$/i;
const output =
  /(^|[-_.])(out(put)?|results?|reports?|logs?|errors?|tmp|temp|dump|bench\w*|stats|audit|coverage|diff|list|actual|new|generated|backup|copy|changes|notes)[-_.\d]/i;
/** Files that projects keep, whatever their ending. */
const named =
  /^(makefile|dockerfile|containerfile|gemfile|rakefile|procfile|justfile|vagrantfile|jenkinsfile|brewfile|license|licence|copying|notice|authors|codeowners|readme|changelog|contributing|security|version|requirements[\w-]*\.txt|constraints[\w-]*\.txt|cmakelists\.txt|robots\.txt|go\.(mod|sum)|\.(env|git|docker|npm|nvm|eslint|prettier|editorconfig|babel|node-version|python-version|tool-versions)[\w.-]*)(\.txt)?$/i;

export type PathKind = "scratch" | "kept" | "other";

/** `scratch`: created again by the next run, or no one's. `kept`: source, settings, data. `other`: unknown. */
export function pathKind(path: string): PathKind {
  if (path.startsWith("/dev/")) return "scratch";
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (scratchFile.test(name)) return "scratch";
  if (scratchFolder.test(path) && !path.includes("..")) return "scratch";
  if (named.test(name) || code.test(name)) return "kept";
  return document.test(name) && !output.test(name) ? "kept" : "other";
}

/**
 * Whether a part of the path is a git folder, even if it is written as a pattern (`.gi?`) or as `$(git
 * rev-parse --git-dir)`.
 */
export function inGitFolder({ text, pattern, scripts }: Word): boolean {
  return (
    scripts.some((script) => /--(absolute-)?git-[dpc]/.test(script)) ||
    text
      .split("/")
      .some((part) => /^\.git$/i.test(part) || (pattern && part.startsWith(".") && globbed(part)))
  );
}

function globbed(part: string): boolean {
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

/** Files that editors and shells of the host later run automatically: tasks, settings, directory hooks. */
const runsLater = /(^|\/)(\.vscode|\.idea|\.fleet)\/|(^|\/)\.envrc$/;

/** Placeholder for a folder that code computes, put before the rest of the path. */
export const madeUpFolder = "/made.invalid";

/** Whether no snapshot can contain this path. After `cd sub`, `../a` may still be in the workspace. */
export function isUnheld(word: Word): boolean {
  return inGitFolder(word) || (/^[~$/]/.test(word.text) && leavesWorkspace(word.text));
}

/** Why any write to the path `word` needs permission; undefined if none is needed. */
export function writeReason(word: Word): string | undefined {
  const { text } = word;
  const place = inGitFolder(word)
    ? "inside git's own folder"
    : runsLater.test(text)
      ? "which editors or shells run by themselves later"
      : text.startsWith(madeUpFolder)
        ? "at a place that is only known when it runs"
        : leavesWorkspace(text) && "outside the workspace";
  return place ? `Changes ${asCode(text.replace(madeUpFolder, "…"))}, ${place}.` : undefined;
}

/**
 * Why replacing the contents of the file `word` needs permission; undefined if none is needed. `emptied`: the file is
 * left empty; `shown`: the command shows the new contents.
 */
export function replaceReason(word: Word, emptied: boolean, shown = false): string | undefined {
  const written = writeReason(word);
  if (written !== undefined) return written;
  const kind = pathKind(word.text);
  // `>(tee log)` is not a file.
  if (kind === "scratch" || (word.text === ">" && word.unknown)) return undefined;
  if (word.unknown) return `Replaces a file whose name is only known when it runs: ${asCode(word.text)}.`;
  if (emptied) return `Empties ${asCode(word.text)} if it exists.`;
  return kind === "kept" && !shown ? `Replaces all of ${asCode(word.text)} if it exists.` : undefined;
}
