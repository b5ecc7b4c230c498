// A unified diff, readable at 390 px: one column, line numbers, signs, colours, changed words marked, long lines
// scroll.
import "../styles/diff.css";
import { signal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Token } from "../files/highlight.ts";
import type * as Colours from "./coloured-lines.ts";
import type { LineTools } from "./line-tools.ts";
import { type DiffFile, type DiffHunk, type DiffLine, parseDiff } from "./parse-diff.ts";
import { SplitLines } from "./split-lines.tsx";
import { runOf } from "./split-rows.ts";
import { type WordPiece, wordDiff } from "./word-diff.ts";

/**
 * A diff without file headings, for a card that already names its file. `brief` shows only the changed lines, wrapped,
 * for a diff that the person reads before allowing it.
 */
export function DiffText({ text, brief = false }: { text: string; brief?: boolean }) {
  const files = useMemo(() => parseDiff(text), [text]);
  return (
    <div class={brief ? "diff wrapped brief" : "diff"}>
      {files.map((file) => (
        <DiffHunks key={file.path} file={brief ? changesAlone(file) : file} />
      ))}
    </div>
  );
}

function changesAlone(file: DiffFile): DiffFile {
  const changed = (lines: readonly DiffLine[]) => lines.filter(({ kind }) => kind !== "same");
  return { ...file, hunks: file.hunks.map((hunk) => ({ ...hunk, lines: changed(hunk.lines) })) };
}

export function DiffHunks({ file, tools }: { file: DiffFile; tools?: LineTools }) {
  if (file.cut === undefined) return <FileLines file={file} tools={tools} />;
  return (
    <>
      {file.hunks.length > 0 && <FileLines file={file} tools={tools} />}
      <p class="diff-words">{file.cut}</p>
    </>
  );
}

function FileLines({ file, tools }: { file: DiffFile; tools: LineTools | undefined }) {
  if (file.status === "binary") return <p class="diff-words">A binary file.</p>;
  if (file.hunks.length === 0)
    return <p class="diff-words">{file.from === undefined ? "No lines changed." : `Was ${file.from}.`}</p>;
  return (
    // biome-ignore format: the rule below is about this line
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class={tools?.wrap || tools?.split ? "diff-scroll wrapped" : "diff-scroll"} aria-label={`Changes of ${file.path}`} tabIndex={0}>
      <div class="diff-lines">
        {within(file.hunks, tools?.maxLines).map((hunk, index) => (
          <Hunk key={index} path={file.path} hunk={hunk} number={index + 1} tools={tools} />
        ))}
      </div>
    </section>
  );
}

function within(hunks: readonly DiffHunk[], maxLines = Number.POSITIVE_INFINITY): DiffHunk[] {
  let left = maxLines;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= hunk.lines.length;
    return lines.length === 0 ? [] : [{ ...hunk, lines }];
  });
}

const signs = { same: " ", added: "+", removed: "−" } as const;
const colours = signal<typeof Colours | null>(null);
/** Longer hunks stay plain: people do not read them by their colours, and colouring would take a frame. */
const maxColouredLines = 600;

interface HunkProps {
  path: string;
  hunk: DiffHunk;
  number: number;
  tools: LineTools | undefined;
}

function Hunk({ path, hunk, number, tools }: HunkProps) {
  const marked = useMemo(() => markedLines(hunk.lines), [hunk.lines.length, hunk.lines[0]]);
  useEffect(() => {
    if (colours.value === null)
      void import("./coloured-lines.ts").then(
        (module) => (colours.value = module),
        () => undefined,
      );
  }, []);
  const paint = colours.value;
  const coloured = useMemo(
    () => (hunk.lines.length > maxColouredLines ? undefined : paint?.colouredLines(path, hunk.lines)),
    [paint, path, hunk.lines.length, hunk.lines[0]],
  );
  const text = (line: DiffLine) => drawn(line, marked.get(line), coloured?.get(line), paint);
  const above = (
    <>
      {number > 1 && <div class="diff-gap" aria-hidden="true" />}
      {tools?.above(number)}
    </>
  );
  if (tools?.split) {
    return (
      <>
        {above}
        <SplitLines hunk={hunk} tools={tools} drawn={text} />
      </>
    );
  }
  return (
    <>
      {above}
      {hunk.lines.map((line, index) => (
        <Fragment key={index}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: every file has a button for its lines as well */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
          <div class={`diff-line ${line.kind}`} onClick={tools && (() => tools.onLine(line))}>
            <span class="number">{line.number}</span>
            <span class="visually-hidden">{line.kind === "same" ? "" : `${line.kind}: `}</span>
            <span class="sign" aria-hidden="true">
              {signs[line.kind]}
            </span>
            <code>{text(line)}</code>
          </div>
          {tools?.below(line)}
        </Fragment>
      ))}
    </>
  );
}

function drawn(
  line: DiffLine,
  words: readonly WordPiece[] | undefined,
  tokens: readonly Token[] | undefined,
  paint: typeof Colours | null,
): ComponentChildren {
  if (line.text === "") return " ";
  const whole = [{ text: line.text, changed: false }];
  const parts =
    tokens === undefined || paint === null
      ? (words ?? whole).map((piece) => ({ ...piece, kind: "plain" }))
      : paint.pieces(tokens, words ?? whole);
  return parts.map(({ text, kind, changed }, at) => {
    const part = kind === "plain" ? text : <span class={`is-${kind}`}>{text}</span>;
    return changed ? <mark key={at}>{part}</mark> : <Fragment key={at}>{part}</Fragment>;
  });
}

/**
 * The changed words of each line. If a run of removed lines is followed by as many added lines, they count as old and
 * new versions of the same lines.
 */
function markedLines(lines: readonly DiffLine[]): Map<DiffLine, WordPiece[]> {
  const marked = new Map<DiffLine, WordPiece[]>();
  let at = 0;
  while (at < lines.length) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed.length, "added");
    pairs(removed, added).forEach(([before, after]) => {
      const words = wordDiff(before.text, after.text);
      if (words === undefined) return;
      marked.set(before, words.before);
      marked.set(after, words.after);
    });
    at += Math.max(1, removed.length + added.length);
  }
  return marked;
}

/** Pairs each removed line with the added line most like it, in order. */
function pairs(removed: readonly DiffLine[], added: readonly DiffLine[]): [DiffLine, DiffLine][] {
  const found: [DiffLine, DiffLine][] = [];
  let from = 0;
  for (const before of removed) {
    const at = added.findIndex(
      (after, index) => index >= from && wordDiff(before.text, after.text) !== undefined,
    );
    const after = added[at];
    if (after === undefined) continue;
    found.push([before, after]);
    from = at + 1;
  }
  return found;
}
