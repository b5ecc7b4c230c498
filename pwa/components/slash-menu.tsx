// The slash commands or files that match the typed text, above the input: rows in groups, each with an icon.
import type { CommandHint } from "../session/commands.ts";
import { InlineCode } from "./inline-code.tsx";
import { type MenuIcon, MenuSign } from "./menu-row.tsx";
import { oneLineOf } from "./shown-text.ts";

interface SlashMenuProps {
  hints: readonly CommandHint[];
  picked: number;
  onPick(insert: string): void;
}

const signs: Readonly<Record<string, MenuIcon>> = {
  "/plan": "plan",
  "/plan ": "plan",
  "/mode plan": "plan",
  "/mode normal": "normal",
  "/mode auto": "auto",
  "/stop": "stop",
  "/undo": "undo",
  "/diff": "changes",
  "/model": "model",
  "/model plan ": "model",
  "/export": "export",
  "/help": "ask",
};

export function signOf({ insert, group }: CommandHint): MenuIcon {
  return signs[insert] ?? (group === "issues" ? "ask" : "files");
}

function listed(first: CommandHint | undefined): string {
  if (first?.insert.startsWith("/")) return "Commands";
  return first?.group === "issues" ? "Issues" : "Files";
}

export function SlashMenu({ hints, picked, onPick }: SlashMenuProps) {
  return (
    <ul class="slash-menu" aria-label={listed(hints[0])}>
      {hints.map((hint, index) => (
        <li key={hint.insert} class={index > 0 && hint.group !== hints[index - 1]?.group ? "next-group" : ""}>
          <button
            type="button"
            class={index === picked ? "picked" : ""}
            // Keeps the focus in the composer, and with it the phone's keyboard open.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(hint.insert)}
          >
            <MenuSign icon={signOf(hint)} />
            <span>
              {/* The repository chose its name and description, which may look like ours. */}
              {hint.group === "project" && <span class="muted">project </span>}
              <b>{oneLineOf(hint.label)}</b>{" "}
              <span class="muted">
                {hint.group === "issues" ? <InlineCode text={hint.meaning} /> : oneLineOf(hint.meaning)}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
