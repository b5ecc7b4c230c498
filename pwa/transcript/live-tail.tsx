// What is under way and not yet a message: partial text, calls being made, or the word that says what is going on.
import { useComputed } from "@preact/signals";
import { callInWords } from "../../shared/session/session-summary.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { awayInWords, connectionInWords, isAway, isStill } from "../turn/connection.ts";

export function LiveTail({ session }: { session: OpenSession }) {
  const partial = useComputed(() => session.state.value.live.partial);
  const calls = useComputed(() => session.state.value.live.calls);
  const open = useComputed(() => session.state.value.head.openCalls);
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
  const coming = calls.value.filter((call) => !open.value.some(({ id }) => id === call.toolCallId)).at(-1);
  const doing = coming === undefined ? undefined : callInWords(coming);
  const thinks = text === "" && coming === undefined && open.value.length === 0;
  return (
    <>
      {text !== "" && (
        <div class="row said live">
          <Markdown text={text} />
        </div>
      )}
      {doing !== undefined && (
        <div class="row stop live">
          <p class="stop-line muted">
            <span>
              <InlineCode text={`${doing.charAt(0).toUpperCase()}${doing.slice(1)}`} />
            </span>
          </p>
        </div>
      )}
      {thinks && (
        <div class="row stop live">
          <p class="stop-line muted">{(partial.value?.reasoning ?? "") === "" ? "Working" : "Thinking"}</p>
        </div>
      )}
    </>
  );
}
