// The changes in the sandbox since the session or a step began. The person can read them, comment on them, take them
// back, and commit them.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionHead } from "../../shared/session/session-state.ts";
import { plural, sinceInWords } from "../../shared/session/session-summary.ts";
import { changeSettings, inWords, settings } from "../app/app-state.ts";
import { openSession } from "../app/open-sessions.ts";
import { takeBack } from "../app/workspace.ts";
import { goBack } from "../browser/route.ts";
import { ChangedFile, fileId } from "../changes/changed-file.tsx";
import { ChangesBar } from "../changes/changes-bar.tsx";
import { FileList } from "../changes/file-list.tsx";
import { OtherChanges } from "../changes/other-changes.tsx";
import {
  beginnings,
  lockedBecause,
  openFiles,
  putBack,
  readSince,
  type SeenChanges,
} from "../changes/read-changes.ts";
import { everything, SinceChoice } from "../changes/since-choice.tsx";
import { Header } from "../components/header.tsx";
import { Icon } from "../components/icon.tsx";
import type { DiffFile } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";
import { SessionSheets } from "../sheets/session-sheets.tsx";
import { useBackOnEscape, useIsWide, wrapsLines } from "./code-page.ts";
import { WrapButton } from "./wrap-button.tsx";
import "../styles/changes.css";

interface ChangesPageProps {
  id: string;
  /** True if the page is beside the session's own page, which has the sheets and the way back. */
  beside?: boolean;
  /** True if the person opened this page beside the session, so that it takes the focus. */
  asked?: boolean;
}

export function ChangesPage({ id, beside = false, asked = false }: ChangesPageProps) {
  const [session, setSession] = useState<OpenSession | null | undefined>(undefined);
  useEffect(() => {
    void openSession(id).then((held) => setSession(held?.session ?? null));
  }, [id]);
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asked) pane.current?.focus();
  }, [asked, session]);
  if (beside) {
    return (
      <aside ref={pane} class="page beside" aria-label="Changes" tabIndex={-1}>
        {session ? <Changes session={session} beside /> : <Header title="Changes" />}
      </aside>
    );
  }
  return (
    <main class="page">
      {session ? (
        <Changes session={session} />
      ) : (
        <Header title="Changes" onBack={() => goBack({ page: "session", id })} />
      )}
      {session === null && <p class="page-words muted">This session is not kept on this device.</p>}
    </main>
  );
}

/** The width of the pane in CSS pixels; a narrow pane has no room for two columns of code. */
const splitFrom = 720;

type Loaded = { kind: "loading" } | { kind: "failed"; message: string } | ({ kind: "ready" } & SeenChanges);

function Changes({ session, beside = false }: { session: OpenSession; beside?: boolean }) {
  const { id, sandboxId } = session.record.value;
  const [step, setStep] = useState<string | undefined>(undefined);
  const { plan, committed } = session.state.value.head;
  // Changes are shown since the newest commit or since a step; with "all", or if there is no commit, since the session
  // began.
  const since =
    step === undefined
      ? committed?.snapshot
      : beginnings(plan).find(({ stepId }) => stepId === step)?.snapshot;
  const [read, setRead] = useState<{ from: string | undefined; loaded: Loaded }>();
  // Ignore changes that were read for another starting point.
  const loaded: Loaded = read?.from === since && read !== undefined ? read.loaded : { kind: "loading" };
  const [tries, setTries] = useState(0);
  const told = useSignal<{ text: string; undo?: () => Promise<void> } | null>(null);
  const back = () => goBack({ page: "session", id });
  useBackOnEscape(beside ? undefined : back);
  const runs = session.outbox.value.turn !== null;
  // Beside a session, the page follows the session's edits while it works.
  const scroll = useRef<HTMLDivElement>(null);
  const wide = useIsWide(scroll, splitFrom);
  const { panes } = settings.value;
  const split = wide && panes?.split === true;
  const edited = useComputed(() => JSON.stringify(session.state.value.head.changes)).value;
  useEffect(() => {
    let left = false;
    readSince(sandboxId, since).then(
      (changes) => {
        if (left) return;
        setRead({ from: since, loaded: { kind: "ready", ...changes } });
        // Others commit and edit as well, so update the number in the list and the header to what is shown here.
        const shown = step === undefined && !runs && session.writes.value;
        if (shown && !isCounted(changes, session.state.value.head)) void session.measureChanges();
      },
      (error: unknown) =>
        left || setRead({ from: since, loaded: { kind: "failed", message: inWords(error).message } }),
    );
    return () => {
      left = true;
    };
  }, [sandboxId, since, tries, runs, beside && edited, putBack.value]);
  // Files in the commit no longer count as changed, even if the commit left other files out.
  const fromCommit = step === undefined && committed !== null;
  const files = loaded.kind !== "ready" ? [] : fromCommit ? openFiles(loaded) : loaded.files;
  const again = () => {
    setTries((count) => count + 1);
    if (!runs) void session.measureChanges();
  };

  const take = async (file: DiffFile, hunk?: number) => {
    if (file.seen === undefined) return;
    const body = { snapshot: since ?? "start", path: file.path, seen: file.seen };
    try {
      const before = await takeBack(sandboxId, hunk === undefined ? body : { ...body, hunk });
      const undo = async () => {
        const { files } = await readSince(sandboxId, before);
        const seen = files.find(({ path }) => path === file.path)?.seen;
        if (seen !== undefined) await takeBack(sandboxId, { snapshot: before, path: file.path, seen });
        told.value = null;
      };
      const what = hunk === undefined ? file.path : `Part ${hunk} of ${file.path}`;
      told.value = { text: `${what} is as it was.`, undo };
    } catch (error) {
      told.value = { text: inWords(error).message };
    }
    again();
  };

  return (
    <>
      <Header
        title="Changes"
        subtitle={subtitleOf(loaded, step === undefined ? committed : step)}
        onBack={beside ? undefined : back}
      >
        {wide && (
          <button
            type="button"
            class="icon-button"
            aria-label="Old and new side by side"
            aria-pressed={split}
            onClick={() => void changeSettings({ panes: { ...panes, split: !split } })}
          >
            <Icon name="columns" />
          </button>
        )}
        <WrapButton />
      </Header>
      <div class="page-scroll changes" ref={scroll}>
        <SinceChoice session={session} step={step} onStep={setStep} />
        {loaded.kind === "failed" && (
          <div class="page-words">
            <p>{loaded.message}</p>
            <button type="button" class="button soft" onClick={again}>
              Retry
            </button>
          </div>
        )}
        {loaded.kind === "ready" && files.length === 0 && (
          <p class="page-words muted">
            {fromCommit
              ? "Nothing has changed since the commit."
              : `Nothing has changed since ${since === undefined ? "the session" : "that step"} began.`}
          </p>
        )}
        {fromCommit && committed.unread && (
          <p class="muted">
            The files of this commit could not be read, so changes count from the moment at which the commit
            was noticed. What it left out is not in the number: ask git for it.
          </p>
        )}
        {loaded.kind === "ready" && loaded.truncated && (
          <p class="muted">The list is longer than can be sent: its end is left out.</p>
        )}
        {loaded.kind === "ready" && (
          <FileList
            files={files}
            session={session}
            open={wide}
            onJump={(file) => {
              const card = document.getElementById(fileId(file.path));
              if (card instanceof HTMLDetailsElement) card.open = true;
              card?.scrollIntoView({ block: "start" });
            }}
          />
        )}
        {loaded.kind === "ready" &&
          files.map((file) => (
            <ChangedFile
              key={file.path}
              file={file}
              session={session}
              open={files.length <= 20}
              wrap={wrapsLines.value}
              split={split}
              locked={lockedBecause(session)}
              commit={loaded.commits.get(file.path)}
              mixed={loaded.mixed.has(file.path)}
              onTakeBack={(from, hunk) => void take(from, hunk)}
            />
          ))}
        {loaded.kind === "ready" && <OtherChanges files={loaded.others} />}
      </div>
      {told.value !== null && (
        <p class="notice" role="status">
          <span>{told.value.text}</span>
          {told.value.undo !== undefined && (
            <button
              type="button"
              class="text-button"
              onClick={() => void told.value?.undo?.().catch(inWordsTo(told)).then(again)}
            >
              Undo
            </button>
          )}
        </p>
      )}
      <ChangesBar
        session={session}
        changed={loaded.kind === "ready" && openFiles(loaded).length > 0}
        onSent={beside ? () => {} : back}
      />
      {!beside && <SessionSheets session={session} />}
    </>
  );
}

/** True if the list of sessions and the header already show these files and lines. */
function isCounted(seen: SeenChanges, { changes }: SessionHead): boolean {
  const open = openFiles(seen);
  return (
    open.length === Object.keys(changes).length &&
    open.every(({ path, added, removed }) => {
      const counted = changes[path];
      return counted?.added === added && counted.removed === removed;
    })
  );
}

function inWordsTo(told: { value: { text: string } | null }) {
  return (error: unknown) => {
    told.value = { text: inWords(error).message };
  };
}

function subtitleOf(loaded: Loaded, from: SessionHead["committed"] | string): string {
  if (loaded.kind === "loading") return "Reading…";
  if (loaded.kind === "failed") return "Not read";
  const open = openFiles(loaded);
  const added = open.reduce((sum, file) => sum + file.added, 0);
  const removed = open.reduce((sum, file) => sum + file.removed, 0);
  const files = plural(open.length, "file");
  const lines = `+${added} −${removed}`;
  if (from !== null && typeof from === "object") {
    const since = open.length === 0 ? files : `${files} · ${lines}`;
    return sinceInWords(from, since);
  }
  if (open.length === 0) return "No changes";
  const began = from === null || from === everything ? "since the session began" : "since the step began";
  return `${files} · ${lines} · ${began}`;
}
