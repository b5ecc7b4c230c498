// What is written and not yet a message. What else is under way has its own card.
import { useComputed } from "@preact/signals";
import { Markdown } from "../markdown/markdown.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { awayInWords, connectionInWords, isAway, isStill } from "../turn/connection.ts";

export function LiveTail({ session }: { session: OpenSession }) {
  const partial = useComputed(() => session.state.value.live.partial);
  if (session.outbox.value.turn === null) return null;
  const connection = session.connection.value;
  if (isStill(connection)) {
    const went = awayInWords(connection, session.begun.value);
    return (
      <div class="row stop">
        <p class="stop-line muted">{isAway(connection) ? went : connectionInWords(connection)}</p>
      </div>
    );
  }
  const text = partial.value?.text ?? "";
  if (text === "") return null;
  return (
    <div class="row said live">
      <Markdown text={text} />
    </div>
  );
}
