// Restores the files from before a message, with a plan or without one.
import { useSignal } from "@preact/signals";
import { asCode } from "../../shared/as-code.ts";
import { inWords } from "../app/app-state.ts";
import { restoreOwn } from "../app/workspace.ts";
import { leaveSheetTo } from "../browser/sheet.ts";
import { beginnings, putBack } from "../changes/read-changes.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { othersAtWork, useSandboxNow } from "../components/others-at-work.ts";
import { SaidText } from "../components/said-text.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { chosen, type Ticks, useWhatComesBack, WaitsForOthers, WhatComesBack } from "./what-comes-back.tsx";

const maxUndoLines = 20;

interface UndoTurnProps {
  session: OpenSession;
  point: Pick<NonNullable<SessionRecord["undoPoints"]>[number], "snapshot" | "text">;
  /** True if this undoes an undo. */
  again?: boolean;
  onClose(): void;
}

/** The line comes after what the session has received so far. */
function withUndoLine(session: OpenSession, text: string): SessionRecord["undoLines"] {
  const lines = session.record.value.undoLines ?? [];
  const last = session.state.value.entries.at(-1);
  return last ? [...lines, { after: `${last.turnId}.${last.id}`, text }].slice(-maxUndoLines) : lines;
}

export function UndoTurn({ session, point, again = false, onClose }: UndoTurnProps) {
  const { id, sandboxId } = session.record.value;
  const others = othersAtWork(useSandboxNow(sandboxId).value);
  const looked = useWhatComesBack(sandboxId, point.snapshot, others);
  const busy = useSignal(false);
  const ticks = useSignal<Ticks>(new Set());
  const runs = session.outbox.value.turn !== null;
  const waits = others === undefined || others.length > 0;
  const undo = async () => {
    const seen = looked.value;
    if (seen.kind !== "seen") return;
    busy.value = true;
    try {
      const { snapshot, text } = point;
      const before = await restoreOwn(sandboxId, { snapshot, ...chosen(seen.changes, ticks.value) });
      const line = again
        ? "You brought back what the undo took back"
        : `You went back to before ${asCode(text)}`;
      void session.choose({
        undone: again ? undefined : { snapshot: before, text },
        undoLines: withUndoLine(session, line),
      });
      putBack.value += 1;
      void session.measureChanges();
      leaveSheetTo({ page: "changes", id });
    } catch (error) {
      looked.value = { kind: "failed", message: inWords(error).message };
    }
    busy.value = false;
  };
  return (
    <Sheet
      title={again ? "Redo" : "Undo to before this message"}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button soft bad grow"
            disabled={runs || waits || busy.value || looked.value.kind !== "seen" || !session.writes.value}
            onClick={() => void undo()}
          >
            Restore the files
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <blockquote class="muted">
          <SaidText text={point.text} />
        </blockquote>
        <WhatComesBack looked={looked.value} ticks={ticks} again={again} />
        <p>
          What was said stays, and so do commits, files that git ignores, and whatever a command did outside
          the workspace. The agent is told with your next message.
          {beginnings(session.settled.value.head.plan).length > 0 &&
            (again
              ? " Steps of the plan stay as they are marked."
              : " Steps of the plan stay as they are marked: to open them again, undo to a step.")}
        </p>
        <WaitsForOthers runs={runs} others={others} />
      </div>
    </Sheet>
  );
}
