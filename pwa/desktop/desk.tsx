// Keyboard shortcuts: Ctrl+K opens a command palette of pages, sessions and actions; `?` lists the keys.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { changeSettings, records, settings } from "../app/app-state.ts";
import { createSession, hasWorktrees } from "../app/create-session.ts";
import { listedSessions } from "../app/listed-sessions.ts";
import { go } from "../browser/route.ts";
import { sessionInView } from "../browser/session-in-view.ts";
import { openSheet, sheet } from "../browser/sheet.ts";
import { focusComposer } from "../components/composer.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import "../styles/desk.css";

interface DeskChoice {
  name: string;
  words?: string;
  pick(): void;
}

const keys: readonly (readonly [string, string])[] = [
  ["Ctrl K", "find a session or something to do"],
  ["?", "these keys"],
  ["Ctrl B", "show or hide the list of sessions"],
  ["Ctrl J", "show or hide the side pane"],
  ["Alt ↑ ↓", "the session above or below in the list"],
  ["/", "write to the agent"],
  ["Enter", "send; Shift+Enter begins a new line"],
  ["↑", "in an empty line: change what was said last and send it again"],
  ["1 2 3", "the answers to a permission, or the options of a question, while you do not type"],
  ["Shift Tab", "the next mode"],
  ["Escape", "close what is open, cancel an edit"],
];

/** In these elements a key types or chooses, so it is no shortcut. */
const takesKeys = "textarea, select, input:not([type=radio], [type=checkbox])";

/** A longer list is narrowed by typing instead of being read. */
const mostShown = 60;

export function Desk() {
  const open = useSignal<"palette" | "keys" | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const types = target instanceof HTMLElement && target.matches(takesKeys);
      const command = (ctrlKey || metaKey) && !altKey;
      const isOpen = open.value !== null || sheet.value !== null;
      const free = !command && !altKey && !types && !event.repeat && open.value === null;
      const numbered = free ? numberedBy(key) : null;
      if (command && key.toLowerCase() === "k") open.value = open.value === "palette" ? null : "palette";
      else if (command && key.toLowerCase() === "b") fold("listOff");
      else if (command && key.toLowerCase() === "j") fold("sideOff");
      else if (numbered !== null) numbered.click();
      else if (command || types || isOpen) return;
      else if (altKey && key === "ArrowDown") goBy(1);
      else if (altKey && key === "ArrowUp") goBy(-1);
      else if (altKey) return;
      else if (key === "?") open.value = "keys";
      else if (key === "/") focusComposer.value += 1;
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const close = () => {
    open.value = null;
  };
  const showKeys = () => {
    open.value = "keys";
  };
  if (open.value === "palette") return <Palette onClose={close} onKeys={showKeys} />;
  return open.value === "keys" ? <Keys onClose={close} /> : null;
}

/**
 * What a digit chooses: an option of the open question, otherwise a button of the bar. Returns null if the target has
 * only just appeared.
 */
function numberedBy(key: string): HTMLElement | null {
  if (!/^[1-9]$/.test(key)) return null;
  const asks =
    sheet.value === null ? ".ask-bar" : sheet.value.kind === "questions" ? "dialog > .sheet-body" : null;
  return asks && document.querySelector(`${asks}:not([inert]) [aria-keyshortcuts="${key}"]:enabled`);
}

function fold(which: "listOff" | "sideOff"): void {
  const { panes } = settings.value;
  void changeSettings({ panes: { ...panes, [which]: panes?.[which] !== true } });
}

/** Opens a session by its place in the list; digits beyond the end do nothing. */
function goBy(places: number): void {
  const listed = listedSessions.value;
  const at = listed.findIndex(({ id }) => id === sessionInView());
  const next = listed[at < 0 ? 0 : at + places];
  if (next !== undefined) go({ page: "session", id: next.id });
}

/** Everything that the palette can open or do here. Sessions come in the order of their last change. */
function choices(showKeys: () => void): DeskChoice[] {
  const here = sessionInView();
  const of = (name: string, words: string, pick: () => void): DeskChoice => ({ name, words, pick });
  return [
    ...(here === null
      ? []
      : [
          of("Changes", "of this session", () => go({ page: "changes", id: here })),
          of("Files", "of this session", () => go({ page: "files", id: here })),
          of("Transcript", "of this session", () => go({ page: "session", id: here })),
          of("Session menu", "name, model, duplicate, export, delete", () => openSheet({ kind: "menu" })),
          of("Undo to…", "files as they were before", () => openSheet({ kind: "undo" })),
          of("Commit…", "what changed", () => openSheet({ kind: "commit" })),
          ...(hasWorktrees()
            ? [of("Worktree…", "give it one, or bring its work back", () => openSheet({ kind: "worktree" }))]
            : []),
          of("Allowed and taken out", "permissions you gave, and files taken out", () =>
            openSheet({ kind: "allowed" }),
          ),
          of("Mode…", "normal, plan, auto", () => openSheet({ kind: "mode" })),
          of("Model…", "which one answers in this session", () =>
            openSheet({ kind: "actions", id: here, view: "model" }),
          ),
          of("Branch, push, patch…", "or a download of the work", () => openSheet({ kind: "branch" })),
          of("Pull request…", "open one, see its checks", () => openSheet({ kind: "pull-request" })),
          of("Duplicate…", "a new session with these messages", () =>
            openSheet({ kind: "actions", id: here, view: "duplicate" }),
          ),
          of("Export…", "as a file", () => openSheet({ kind: "actions", id: here, view: "export" })),
          of("Progress and places", "steps, questions, figures", () => openSheet({ kind: "places" })),
        ]),
    of("New session", "", () => void createSession().then((id) => go({ page: "session", id }))),
    of("New session of…", "another repository", () => go({ page: "new" })),
    of("Settings", "models, spending, storage", () => go({ page: "settings" })),
    of("Hide or show the list", "Ctrl B", () => fold("listOff")),
    of("Hide or show the side pane", "Ctrl J", () => fold("sideOff")),
    of("Keys", "?", showKeys),
    // A session is also found by the words for its state, such as "waiting" or "running".
    ...records.value.map(({ id, title, workspace, summary }) =>
      of(title, `${summary.text.replaceAll("`", "")} · ${workspace}`, () => go({ page: "session", id })),
    ),
  ];
}

function inSight(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: "nearest" });
}

function Palette({ onClose, onKeys }: { onClose(): void; onKeys(): void }) {
  const needle = useSignal("");
  const at = useSignal(0);
  const words = needle.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = choices(onKeys)
    .filter((each) => words.every((word) => `${each.name} ${each.words ?? ""}`.toLowerCase().includes(word)))
    .slice(0, mostShown);
  const pick = (choice: DeskChoice | undefined) => {
    if (choice === undefined) return;
    onClose();
    choice.pick();
  };
  return (
    <Dialog name="Go to, or do" onClose={onClose}>
      <input
        type="search"
        aria-label="What to go to or to do"
        placeholder="Sessions, changes, files, settings…"
        autofocus
        value={needle.value}
        onInput={(event) => {
          needle.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={(event) => {
          const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? found.length - 1 : 0;
          if (by > 0) at.value = (at.value + by) % Math.max(1, found.length);
          else if (event.key === "Enter") pick(found[at.value]);
          else return;
          event.preventDefault();
        }}
      />
      <ul>
        {found.map((choice, index) => (
          <li key={index}>
            <button
              type="button"
              class={index === at.value ? "on" : ""}
              {...(index === at.value && { ref: inSight })}
              onClick={() => pick(choice)}
            >
              <b>{oneLineOf(choice.name)}</b>
              {choice.words && <span class="muted">{oneLineOf(choice.words)}</span>}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">Nothing has that name.</p>}
    </Dialog>
  );
}

function Keys({ onClose }: { onClose(): void }) {
  return (
    <Dialog name="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="button soft" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}

function Dialog({ name, onClose, children }: { name: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, like this click beside it
    <dialog
      ref={dialog}
      class="desk"
      aria-label={name}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
