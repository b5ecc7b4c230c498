// Commands and keys, for somebody who typed /help.
import { hasKeyboard } from "../browser/screen.ts";
import { Sheet } from "../components/sheet.tsx";
import { hints } from "../session/commands.ts";

const keys = [
  ["Enter", "sends"],
  ["Shift+Enter", "begins a line"],
  ["Shift+Tab", "changes the mode"],
  ["Escape", "lets Shift+Tab move the focus again"],
  ["Tab", "completes a command"],
  ["↑ in an empty line", "brings back your last message"],
];

export function HelpSheet({ onPick, onClose }: { onPick(insert: string): void; onClose(): void }) {
  return (
    <Sheet title="Commands" subtitle="Typed where you write" onClose={onClose}>
      <ul class="help">
        {hints.map((hint) => (
          <li key={hint.label}>
            <button type="button" class="choice" onClick={() => onPick(hint.insert)}>
              <b>{hint.label}</b>
              <span class="muted">{hint.meaning}</span>
            </button>
          </li>
        ))}
      </ul>
      {hasKeyboard.value && (
        <dl class="keys">
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd class="muted">{does}</dd>
            </div>
          ))}
        </dl>
      )}
      {!hasKeyboard.value && <p class="page-words muted">Enter begins a new line; the arrow sends.</p>}
    </Sheet>
  );
}
