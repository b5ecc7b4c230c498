// Which sheet is open over a session: at most one.

import { signal } from "@preact/signals";
import { isObject } from "../../shared/is-record.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { ImportFile } from "../transfer/import-file.ts";
import { go, type Route } from "./route.ts";
import { cameByItself } from "./typing.ts";

/** A model as it was typed. `name`: "" = none; `effort`: "" = as the server has it; absent = as it is. */
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
  /** Why a call is not allowed. */
  | { kind: "deny" }
  | { kind: "help" }
  /** Which history counts: this phone's or the server's. */
  | { kind: "histories" }
  /** Absent `stepId` = a step is picked first. */
  | { kind: "undo"; stepId?: string }
  | { kind: "commit" }
  | { kind: "push"; branch: string }
  /** `title`, `text`: what the agent drafted. */
  | { kind: "pull-request"; title?: string; text?: string }
  /** The branch, and ways out of the sandbox. */
  | { kind: "branch" }
  /** A git worktree of its own: given, or its work brought back. */
  | { kind: "worktree" }
  | { kind: "places" }
  | { kind: "mode" }
  /** The bin of deleted sessions; opened from the list. */
  | { kind: "bin" }
  | { kind: "menu" }
  /** The session's permissions, to be revoked. */
  | { kind: "allowed" }
  /** A chosen file, before anything of it is stored. */
  | { kind: "import"; file: ImportFile }
  /** For a session as a whole, from the list as well. */
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

/** Opens `next`, replacing another open sheet. The back button closes it. */
export function openSheet(next: OpenSheet): void {
  if (sheet.value === null && !inHistory()) history.pushState({ sheet: true }, "");
  cameByItself.value = false;
  sheet.value = next;
}

export function closeSheet(): void {
  sheet.value = null;
  if (inHistory()) history.back();
}

/** Leaves the sheet for another page, which takes its place in the history. */
export function leaveSheetTo(route: Route): void {
  sheet.value = null;
  go(route, inHistory() ? "replace" : "push");
}

const guards: (() => boolean)[] = [];

/**
 * Asked, the newest guard first, before Escape or the back button closes the sheet; true = it stays for now. Returns what
 * takes the guard away.
 */
export function guardSheet(asks: () => boolean): () => void {
  guards.push(asks);
  return () => {
    const at = guards.indexOf(asks);
    if (at !== -1) guards.splice(at, 1);
  };
}

/** Something in the sheet used the step back instead: an editor in it closed, or it asks first. */
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
