// The button at the end of the input, which sends the text or stops the turn.
import { pressStop } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { Icon } from "./icon.tsx";
import { useJustCame } from "./just-came.ts";

interface SendOrStopProps {
  session: OpenSession;
  /** True if the input is empty. */
  nothing: boolean;
  onSend(): void;
  onStopped(): void;
}

/** While a turn runs, Stop replaces Send if the input is empty; otherwise both are shown. */
export function SendOrStop({ session, nothing, onSend, onStopped }: SendOrStopProps) {
  const writes = session.writes.value;
  const runs = writes && session.outbox.value.turn !== null && session.connection.value.kind !== "differs";
  // Otherwise a double tap on Send would stop the turn that it began.
  const arriving = useJustCame(runs ? "stop" : "send");
  return (
    <>
      {runs && (
        <button
          key="stop"
          type="button"
          class={nothing ? "send halt" : "send halt aside"}
          aria-label="Stop"
          inert={arriving}
          onClick={() => {
            pressStop(session);
            onStopped();
          }}
        >
          <Icon name="stop" />
        </button>
      )}
      {!(runs && nothing) && (
        <button
          key="send"
          type="button"
          class="send"
          aria-label="Send"
          disabled={nothing || !session.types.value}
          onClick={onSend}
        >
          <Icon name="up" />
        </button>
      )}
    </>
  );
}
