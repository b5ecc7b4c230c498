// Parses a unified diff into files, hunks and numbered lines. It is lenient and skips what it does not know.

export interface DiffLine {
  kind: "same" | "added" | "removed";
  /** The line's number in the old file if it was removed, otherwise in the new one. */
  number: number;
  text: string;
}

export interface DiffHunk {
  lines: DiffLine[];
  /** How many lines further down the hunk is in the new file than in the old one. */
  shift: number;
}

export interface DiffFile {
  path: string;
  /** For "renamed", `from` is the old name. */
  status: "changed" | "new" | "deleted" | "renamed" | "binary";
  from: string | undefined;
  /**
   * The id of the file's new content in the `index` line; only zeros if there is no file. A diff without that line has
   * none.
   */
  seen?: string;
  /** The id of the file's old content. */
  was?: string;
  /** True if the file's mode changed. */
  newMode?: true;
  added: number;
  removed: number;
  hunks: DiffHunk[];
  /** Says in words what was left out at the end of the file; absent if nothing was. */
  cut?: string;
}

/**
 * The note that the rest of a file was left out. Git's own note about a missing final newline does not match.
 */
const cutMark = /^\\ (\d+ more lines? not shown)$/;
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let file: DiffFile | undefined;
  let hunk: DiffHunk | undefined;
  let oldAt = 0;
  let newAt = 0;
  let left = 0;
  const start = (path: string): DiffFile => {
    const next: DiffFile = { path, status: "changed", from: undefined, added: 0, removed: 0, hunks: [] };
    files.push(next);
    hunk = undefined;
    left = 0;
    return next;
  };
  for (const line of text.split("\n")) {
    const cut = cutMark.exec(line)?.[1];
    if (cut !== undefined && file !== undefined) {
      file.cut = cut;
      // The text may contain another diff.
      left = 0;
      continue;
    }
    if (hunk !== undefined && file !== undefined && left > 0) {
      const mark = line[0] ?? " ";
      const kind = mark === "+" ? "added" : mark === "-" ? "removed" : "same";
      if (mark === "\\") continue;
      hunk.lines.push({ kind, number: kind === "removed" ? oldAt : newAt, text: line.slice(1) });
      if (kind !== "added") oldAt += 1;
      if (kind !== "removed") newAt += 1;
      left -= kind === "same" ? 2 : 1;
      if (kind === "added") file.added += 1;
      if (kind === "removed") file.removed += 1;
      continue;
    }
    const git = /^diff --git (?:"?a\/(.*?)"?) (?:"?b\/(.*?)"?)$/.exec(line);
    if (git !== null) file = start(git[2] ?? "");
    else if (line.startsWith("--- ") && !(file !== undefined && file.hunks.length === 0))
      file = start(pathOf(line.slice(4)));
    if (file === undefined) {
      if (line.startsWith("--- ")) file = start(pathOf(line.slice(4)));
      continue;
    }
    if (line.startsWith("--- ") && line.includes("/dev/null")) file.status = "new";
    else if (line.startsWith("+++ ")) {
      if (line.includes("/dev/null")) file.status = "deleted";
      else file.path = pathOf(line.slice(4));
    } else if (line.startsWith("new file")) file.status = "new";
    else if (line.startsWith("deleted file")) file.status = "deleted";
    else if (line.startsWith("rename from ")) {
      file.status = "renamed";
      file.from = line.slice(12);
    } else if (line.startsWith("new mode ")) file.newMode = true;
    else if (line.startsWith("Binary files") || line.startsWith("GIT binary patch")) file.status = "binary";
    const index = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/.exec(line);
    if (index?.[1] !== undefined && index[2] !== undefined) [, file.was, file.seen] = index;
    const head = hunkHead.exec(line);
    if (head !== null) {
      oldAt = Number(head[1]);
      newAt = Number(head[3]);
      left = Number(head[2] ?? 1) + Number(head[4] ?? 1);
      hunk = { lines: [], shift: newAt - oldAt };
      file.hunks.push(hunk);
    }
  }
  for (const each of files) dropWindowsEnds(each);
  return files;
}

/**
 * Removes Windows line ends if every line has them. If only some do, they stay, so that the difference is visible.
 */
function dropWindowsEnds({ hunks }: DiffFile): void {
  const lines = hunks.flatMap((each) => each.lines);
  if (lines.every(({ text }) => text.endsWith("\r")))
    for (const line of lines) line.text = line.text.slice(0, -1);
}

function pathOf(text: string): string {
  return text
    .replace(/\t.*$/, "")
    .replace(/^"(.*)"$/, "$1")
    .replace(/^[ab]\//, "");
}
