// The three modes with their meanings; a tap switches the mode.
import type { Mode } from "../../shared/mode.ts";
import { config } from "../app/app-state.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { openSheet, sheet } from "../browser/sheet.ts";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { Sheet } from "../components/sheet.tsx";
import { pickOf } from "../session/chosen-model.ts";
import { wantMode } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { modeMeanings } from "../words/mode-words.ts";
import { pickInWords } from "../words/model-words.ts";

const names: readonly [Mode, string][] = [
  ["normal", "Normal"],
  ["plan", "Plan"],
  ["auto", "Auto"],
];

export function ModeSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { mode } = session.settled.value.head;
  return (
    <Sheet title="Mode" subtitle="From the next message on" onClose={onClose}>
      <MenuGroup>
        {names.map(([to, name]) => (
          <MenuRow
            key={to}
            icon={to}
            title={name}
            words={modeMeanings[to]}
            chosen={to === mode}
            onPick={() => {
              wantMode(session, to);
              // Leaving plan mode while a plan waits has opened another sheet, which must stay open.
              if (sheet.value?.kind === "mode") onClose();
            }}
          />
        ))}
      </MenuGroup>
      <MenuGroup title="Models">
        {(["plan", "run"] as const).map((of) => (
          <MenuRow
            key={of}
            icon="model"
            title={of === "plan" ? "For planning" : "For doing"}
            words={pickInWords(config.value, pickOf(session.record.value, of))}
            onPick={() => openSheet({ kind: "actions", id: session.record.value.id, view: "model", of })}
          />
        ))}
      </MenuGroup>
      {hasKeyboard.value && <p class="quiet">Shift+Tab in the composer goes from one to the next.</p>}
    </Sheet>
  );
}
