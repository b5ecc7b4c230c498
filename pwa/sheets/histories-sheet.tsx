// Asks which history counts if the server's differs from this phone's, and says what each choice keeps and loses.
import { Sheet } from "../components/sheet.tsx";
import { differenceIn, firstUserText } from "../session/differing-history.ts";
import type { OpenSession } from "../session/open-session.ts";
import { shortened } from "../words/shortened.ts";

export function HistoriesSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const connection = session.connection.value;
  const { turn } = session.outbox.value;
  if (connection.kind !== "differs" || turn === null) return null;
  const { turnId, lastId, copied } = differenceIn(connection.error, turn.turnId);
  const { entries } = session.settled.value;
  const earlier = turnId !== turn.turnId;
  const words = firstUserText(turnId, entries).split("\n", 1)[0] ?? "";
  const which = words === "" ? "this turn" : `the turn “${shortened(words, 60)}”`;
  const decide = (counts: () => void) => {
    onClose();
    counts();
  };
  return (
    <Sheet title="Which history counts?" onClose={onClose}>
      <div class="choices">
        <p class="quiet">
          {copied
            ? `The server's record of ${which} is a copy that was moved or restored while the turn ran. What ran after the copy was made is not in it. Nothing runs before you decide.`
            : `${lastId === 0 ? `The server knows nothing of ${which}` : `The server and this phone have different records of ${which}`}. A copy of one of them may have been restored, or the end of the server's record was lost. Nothing runs before you decide, and neither choice changes files.`}
        </p>
        <button type="button" class="choice" onClick={() => decide(() => session.countHere())}>
          <b>What this phone shows</b>
          <span class="muted">
            {earlier
              ? "Everything you see stays, and your message is sent. What only the server has of that turn is not shown here. A plan has to be approved again."
              : "Everything you see stays. The turn ends here and nothing runs again. What only the server has of it is not shown here. A plan has to be approved again."}
          </span>
        </button>
        <button type="button" class="choice" onClick={() => decide(() => void session.countServer())}>
          <b>What the server has</b>
          <span class="muted">
            {serverWords(earlier, lastId)}
            {copied ? " What ran after the copy was made may run a second time." : ""}
          </span>
        </button>
      </div>
    </Sheet>
  );
}

function serverWords(earlier: boolean, lastId: number): string {
  if (lastId > 0) {
    const then = earlier ? ", and your message is sent" : ", and it continues from there";
    return `What this phone shows of that turn is deleted for good and replaced by what the server has${then}.`;
  }
  return earlier
    ? "That turn is deleted from this phone for good, and your message is sent without it. What it did in the workspace stays."
    : "The turn is deleted from this phone for good, and your message runs from the beginning. What it did before may be done a second time.";
}
