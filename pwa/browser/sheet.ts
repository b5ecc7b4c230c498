// Which sheet is open over a session: at most one.

import { signal } from "@preact/signals";
import { isObject } from "../../shared/is-record.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { ImportFile } from "../transfer/import-file.ts";
import { go, type Route } from "./route.ts";
import { cameByItself } from "./typing.ts";

/**
 * A model as it was typed. `name` "" means none; `effort` "" means the server's default, and an absent one stays as it
 * is.
 */
export interface ModelWords {
  name: string;
  effort?: string;
}

export type OpenSheet =
  | { kind: "questions" }
  | { kind: "plan"; plan: Plan }
  | { kind: "edit-plan"; plan: Plan }
  | { kind: "reject" }
  | { kind: "approve" }
  | { kind: "leave-plan"; to: "normal" | "auto" }
  | { kind: "check" }
  /** Asks for the reason why a call is denied. */
  | { kind: "deny" }
  | { kind: "help" }
  /** Asks which history counts: this phone's or the server's. */
  | { kind: "histories" }
  /** Without `stepId` the person first picks what to undo. */
  | { kind: "undo"; stepId?: string }
  | { kind: "commit" }
  | { kind: "push"; branch: string }
  /** `title` and `text` are what the agent drafted. */
  | { kind: "pull-request"; title?: string; text?: string }
  /** The branch, and the ways to deliver its commits. */
  | { kind: "branch" }
  /** Gives the session a git worktree of its own, or brings its work back. */
  | { kind: "worktree" }
  | { kind: "places" }
  | { kind: "mode" }
  /** The bin of deleted sessions; the list opens it. */
  | { kind: "bin" }
  | { kind: "menu" }
  /** The session's permissions, which can be revoked here. */
  | { kind: "allowed" }
  /** A file that the person chose to import, before any of it is stored. */
  | { kind: "import"; file: ImportFile }
  /** The actions on a whole session; the list opens it as well. */
  | {
      kind: "actions";
      id: string;
      view?: "model" | "duplicate" | "export";
      of?: "plan" | "run";
      wanted?: ModelWords;
    };

export const sheet = signal<OpenSheet | null>(null);

function inHistory(): boolean {
  const state: unknown = history.state;
  return isObject(state) && "sheet" in state;
}

/** Opens `next` in place of another open sheet. The back button closes it. */
export function openSheet(next: OpenSheet): void {
  if (sheet.value === null && !inHistory()) history.pushState({ sheet: true }, "");
  cameByItself.value = false;
  sheet.value = next;
}

export function closeSheet(): void {
  sheet.value = null;
  if (inHistory()) history.back();
}

/** Leaves the sheet for another page, which replaces it in the history. */
export function leaveSheetTo(route: Route): void {
  sheet.value = null;
  go(route, inHistory() ? "replace" : "push");
}

const guards: (() => boolean)[] = [];

/**
 * Guards are asked before Escape or the back button closes the sheet, the newest first; true keeps the sheet open.
 * Returns a function that removes the guard.
 */
export function guardSheet(asks: () => boolean): () => void {
  guards.push(asks);
  return () => {
    const at = guards.indexOf(asks);
    if (at !== -1) guards.splice(at, 1);
  };
}

/** Asks the guards, newest first; true if one of them used the step back, for example to close an editor. */
export function tookStepBack(): boolean {
  return guards.toReversed().some((asks) => asks());
}

window.addEventListener("popstate", () => {
  if (inHistory()) return;
  if (sheet.value !== null && tookStepBack()) history.pushState({ sheet: true }, "");
  else sheet.value = null;
});

export function opensActions(id: string): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    openSheet({ kind: "actions", id });
  };
}
