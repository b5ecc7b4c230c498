// Lets the person pick the message with which a copy of the session ends, and makes the copy.
import { useEffect, useState } from "preact/hooks";
import { leaveSheetTo } from "../browser/sheet.ts";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { type Point, pointsOf } from "../transfer/copy-entries.ts";
import { duplicateUpTo, filesOfCopy, wholeSession } from "../transfer/transfer.ts";
import { plainWords } from "../words/plain-words.ts";

/** This many rows are shown at once; a tap shows more. */
const page = 40;

export function DuplicateSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const record = session.record.value;
  const [points, setPoints] = useState<Point[] | null>(null);
  const [shown, setShown] = useState(page);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    wholeSession(record.id).then(
      ({ entries }) => setPoints(pointsOf(entries)),
      (error: unknown) => setProblem(`The messages could not be read. ${messageOf(error)}`),
    );
  }, [record.id]);
  const copy = async (index: number) => {
    setBusy(true);
    try {
      const { entries } = await wholeSession(record.id);
      leaveSheetTo({ page: "session", id: await duplicateUpTo(record, entries, index) });
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Sheet title="Duplicate" subtitle={busy ? "Preparing…" : "Up to which message?"} onClose={onClose} tall>
      <div class="choices">
        <p class="quiet">
          {filesOfCopy(record)} A plan stays in the text, but is not active: ask for it again.
        </p>
        <Problem words={problem} />
        {points?.slice(0, shown).map(({ index, who, text }) => (
          <button key={index} type="button" class="choice" disabled={busy} onClick={() => void copy(index)}>
            <b>{who}</b>
            <span class="muted clip">{plainWords(text)}</span>
          </button>
        ))}
        {points !== null && points.length > shown && (
          <button type="button" class="text-button" onClick={() => setShown(shown + page)}>
            Earlier messages
          </button>
        )}
      </div>
    </Sheet>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
