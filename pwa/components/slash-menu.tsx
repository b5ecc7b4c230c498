// Slash commands that fit what was typed so far, above the input.
import type { CommandHint } from "../session/commands.ts";

interface SlashMenuProps {
  hints: readonly CommandHint[];
  picked: number;
  onPick(insert: string): void;
}

export function SlashMenu({ hints, picked, onPick }: SlashMenuProps) {
  return (
    <ul class="slash-menu" aria-label="Commands">
      {hints.map((hint, index) => (
        <li key={hint.label}>
          <button
            type="button"
            class={index === picked ? "picked" : ""}
            // Keeps the focus, and with it the phone's keyboard, in the composer.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(hint.insert)}
          >
            <b>{hint.label}</b> <span class="muted">{hint.meaning}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
