// One changed file with its lines, the comments on them, and buttons that take back the file or one hunk of it.
import { useSignal } from "@preact/signals";
import { go } from "../browser/route.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { DiffHunks } from "../diff/diff-text.tsx";
import type { DiffFile, DiffLine } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";
import { CommentBox, type CommentPlace, isAt } from "./comment-box.tsx";
import { figures, isViewed, setViewed } from "./file-list.tsx";
import "../styles/markdown.css";
import { useEffect } from "preact/hooks";
import { inWords } from "../app/app-state.ts";
import { readFileBytes } from "../app/workspace.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { markdownOfHtml } from "./markdown-of-html.ts";

/** Rows that are drawn at first: more than a person reads at once, and few enough to draw without a pause. */
const firstLines = 300;

/** The id to which a link in the list of files jumps. */
export function fileId(path: string): string {
  return `changed-${path}`;
}

interface ChangedFileProps {
  file: DiffFile;
  session: OpenSession;
  open: boolean;
  wrap: boolean;
  split: boolean;
  /** Why nothing can be taken back now; undefined if it can. */
  locked: string | undefined;
  /** The commit that contains this state of the file, as `HASH SUBJECT`. */
  commit: string | undefined;
  /** True if others changed the same lines. */
  mixed: boolean;
  onTakeBack(file: DiffFile, hunk?: number): void;
}

export function ChangedFile(props: ChangedFileProps) {
  const { file, session, open, wrap, split, locked, commit, mixed, onTakeBack } = props;
  const writing = useSignal<CommentPlace | null>(null);
  const all = useSignal(false);
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const placeOf = (line: DiffLine): CommentPlace => ({
    path: file.path,
    line: line.number,
    removed: line.kind === "removed",
    quote: line.text,
  });
  const below = (line: DiffLine) => {
    const place = placeOf(line);
    const isOpen = writing.value !== null && isAt({ ...writing.value, text: "" }, place);
    const kept = session.draft.value.lineComments.some((comment) => isAt(comment, place));
    if (!isOpen && !kept) return null;
    return (
      <CommentBox session={session} place={place} open={isOpen} onOpen={(next) => (writing.value = next)} />
    );
  };
  const rendered = useSignal(false);
  const viewed = isViewed(session, file);
  const takes = file.seen !== undefined && file.status !== "renamed";
  return (
    <details class="card file" id={fileId(file.path)} open={open && !viewed}>
      <summary>
        <h2>{oneLineOf(file.path)}</h2>
        <span class="time">
          {viewed && "✓ "}
          {figures(file)}
        </span>
      </summary>
      {commit !== undefined && (
        <p class="file-note muted">
          Committed: <code>{oneLineOf(commit)}</code>. A revert changes the file and leaves the commit as it
          is.
        </p>
      )}
      {mixed && <p class="file-note">Others changed the same lines since: a revert undoes theirs, too.</p>}
      {rendered.value ? (
        <RenderedFile sandboxId={session.record.value.sandboxId} path={file.path} seen={file.seen} />
      ) : (
        <DiffHunks
          file={file}
          tools={{
            wrap,
            split,
            maxLines: all.value ? Number.POSITIVE_INFINITY : firstLines,
            below,
            onLine: (line) => {
              if (session.writes.value && getSelection()?.isCollapsed !== false)
                writing.value = placeOf(line);
            },
            above: (number) =>
              file.hunks.length > 1 &&
              takes && (
                <div class="hunk-head">
                  <span class="muted">Part {number}</span>
                  <TakeBack
                    what={`part ${number} of ${file.path}`}
                    locked={locked}
                    onTake={() => onTakeBack(file, number)}
                  />
                </div>
              ),
          }}
        />
      )}
      {!all.value && lines > firstLines && (
        <button type="button" class="button quiet wide" onClick={() => (all.value = true)}>
          Show all {lines} lines
        </button>
      )}
      <footer class="file-foot">
        {session.writes.value && lines > 0 && (
          <LinePicker file={file} onPick={(line) => (writing.value = placeOf(line))} />
        )}
        {file.status !== "deleted" && (
          <button
            type="button"
            class="text-button"
            aria-label={`Open ${file.path}`}
            onClick={() => go({ page: "files", id: session.record.value.id, path: file.path })}
          >
            Open
          </button>
        )}
        {isMarkdown(file.path) && file.status !== "deleted" && (
          <button
            type="button"
            class="text-button"
            aria-pressed={rendered.value}
            onClick={() => (rendered.value = !rendered.value)}
          >
            {rendered.value ? "Lines" : "Rendered"}
          </button>
        )}
        <button
          type="button"
          class={viewed ? "text-button plain" : "text-button"}
          aria-label={`${viewed ? "Not viewed" : "Viewed"}: ${file.path}`}
          onClick={(event) => {
            setViewed(session, file, !viewed);
            // The button is inside the part that it folds, because that may be far longer than the screen.
            if (!viewed) event.currentTarget.closest("details")?.querySelector("summary")?.focus();
          }}
        >
          {viewed ? "Not viewed" : "Viewed"}
        </button>
        {takes && (
          <TakeBack what={file.path} locked={locked} onTake={() => onTakeBack(file)} whole={file.status} />
        )}
      </footer>
    </details>
  );
}

/** Picks a line by its number, for people who cannot tap on it. */
function LinePicker({ file, onPick }: { file: DiffFile; onPick(line: DiffLine): void }) {
  const lines = file.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind !== "removed");
  const first = lines.find((line) => line.kind === "added") ?? lines[0] ?? file.hunks[0]?.lines[0];
  if (first === undefined) return null;
  return (
    <button
      type="button"
      class="text-button"
      aria-label={`Comment on ${file.path}; a tap on a line comments on that one`}
      onClick={() => onPick(first)}
    >
      Comment
    </button>
  );
}

interface TakeBackProps {
  what: string;
  locked: string | undefined;
  onTake(): void;
  whole?: DiffFile["status"];
}

/** Taking back needs two taps; after the first, the button says what the second does. */
function TakeBack({ what, locked, onTake, whole }: TakeBackProps) {
  const sure = useSignal(false);
  const verb = whole === "new" ? "delete" : whole === "deleted" ? "restore" : "revert";
  const first = whole === "new" ? "Delete the file" : whole === "deleted" ? "Restore the file" : "Revert";
  const words = sure.value ? `Tap again to ${verb}` : first;
  return (
    <button
      type="button"
      class={sure.value ? "text-button bad" : "text-button plain"}
      aria-label={`${words}: ${what}`}
      disabled={locked !== undefined}
      title={locked}
      onClick={() => {
        if (sure.value) onTake();
        sure.value = !sure.value;
      }}
      onBlur={() => (sure.value = false)}
    >
      {words}
    </button>
  );
}

/** People rarely read more than this on a phone, and drawing more would take a while. */
const maxBytes = 200_000;

function isMarkdown(path: string): boolean {
  return /\.(md|mdx|markdown)$/i.test(path);
}

interface RenderedFileProps {
  sandboxId: string;
  path: string;
  /** The version of the file's content; a new version is read again. */
  seen: string | undefined;
}

function RenderedFile({ sandboxId, path, seen }: RenderedFileProps) {
  const text = useSignal<string | null>(null);
  useEffect(() => {
    readFileBytes(sandboxId, path, maxBytes)
      .then(({ bytes }) => bytes.text())
      .then(
        (read) => (text.value = read),
        (error: unknown) => (text.value = inWords(error).message),
      );
  }, [sandboxId, path, seen]);
  return (
    <div class="rendered">
      {text.value === null ? <p class="muted">Reading…</p> : <Markdown text={markdownOfHtml(text.value)} />}
    </div>
  );
}
