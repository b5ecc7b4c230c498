// The commands and keys, opened by /help.
import { hasKeyboard } from "../browser/screen.ts";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { signOf } from "../components/slash-menu.tsx";
import { type CommandHint, hints, projectCommands, projectHints } from "../session/commands.ts";

const groups: readonly { title: string; commands: readonly string[] }[] = [
  { title: "How it works", commands: ["plan", "mode", "stop"] },
  { title: "Results", commands: ["diff", "files", "undo"] },
  { title: "The session", commands: ["model", "export", "help"] },
];

/** "plan" of "/plan goal". */
function commandOf({ insert }: CommandHint): string {
  return insert.slice(1).trim().split(" ", 1)[0] ?? "";
}

const keys = [
  ["Enter", "sends"],
  ["Shift+Enter", "begins a line"],
  ["Shift+Tab", "changes the mode"],
  ["Escape", "lets Shift+Tab move the focus again"],
  ["Tab", "completes a command"],
  ["↑ in an empty line", "brings back your last message"],
];

export function HelpSheet({ onPick, onClose }: { onPick(insert: string): void; onClose(): void }) {
  const own = projectHints(projectCommands.value.commands);
  return (
    <Sheet title="Commands" subtitle="Typed where you write" onClose={onClose}>
      {groups.map(({ title, commands }) => (
        <MenuGroup key={title} title={title}>
          {hints
            .filter((hint) => commands.includes(commandOf(hint)))
            .map((hint) => (
              <MenuRow
                key={hint.label}
                icon={signOf(hint)}
                title={hint.label}
                words={hint.meaning}
                onPick={() => onPick(hint.insert)}
              />
            ))}
        </MenuGroup>
      ))}
      {own.length > 0 && (
        <MenuGroup title="Of this project">
          {own.map(({ label, meaning, insert }) => (
            <MenuRow
              key={insert}
              icon="files"
              title={oneLineOf(label)}
              words={oneLineOf(meaning)}
              onPick={() => onPick(insert)}
            />
          ))}
        </MenuGroup>
      )}
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
