// Slash commands or files that fit what was typed so far, above the input.
import type { CommandHint } from "../session/commands.ts";
import { oneLineOf } from "./shown-text.ts";

interface SlashMenuProps {
  hints: readonly CommandHint[];
  picked: number;
  onPick(insert: string): void;
}

export function SlashMenu({ hints, picked, onPick }: SlashMenuProps) {
  return (
    <ul class="slash-menu" aria-label={hints[0]?.insert.startsWith("/") ? "Commands" : "Files"}>
      {hints.map((hint, index) => (
        <li key={hint.insert}>
          <button
            type="button"
            class={index === picked ? "picked" : ""}
            // Keeps the focus, and with it the phone's keyboard, in the composer.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(hint.insert)}
          >
            <b>{oneLineOf(hint.label)}</b> <span class="muted">{oneLineOf(hint.meaning)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
