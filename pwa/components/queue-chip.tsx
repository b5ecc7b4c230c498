// Messages sent while a turn runs, above the composer: how many are waiting, and what can be done with them.
import "../styles/queue.css";
import { useSignal } from "@preact/signals";
import { plural } from "../../shared/session/session-summary.ts";
import { messageOf } from "../session/next-input.ts";
import type { OpenSession } from "../session/open-session.ts";
import type { QueuedMessage } from "../storage/outbox.ts";
import { InlineCode } from "./inline-code.tsx";
import { SaidText } from "./said-text.tsx";

export function QueueChip({ session }: { session: OpenSession }) {
  const open = useSignal(false);
  const { queue, turn } = session.outbox.value;
  const waiting = queue.filter(({ id }) => !session.isSteered(id));
  const first = waiting[0] ?? queue[0];
  if (first === undefined) return null;
  return (
    <section class="queue" aria-label="Queued messages">
      <div class="queue-line">
        <button
          type="button"
          class="queue-words"
          aria-expanded={open.value}
          onClick={() => (open.value = !open.value)}
        >
          <b>
            {waiting.length > 0
              ? `${plural(waiting.length, "message")} waiting`
              : "Read after the current call"}
          </b>{" "}
          <span>
            <InlineCode text={first.text} />
          </span>
        </button>
        {session.types.value && <SendNow session={session} message={first} runs={turn !== null} />}
      </div>
      {open.value && (
        <ul>
          {queue.map((message) => (
            <li key={message.id} class="queued">
              <p>
                <SaidText text={message.text} />
              </p>
              <button type="button" class="text-button" onClick={() => void session.takeBack(message)}>
                Edit
              </button>
              <button type="button" class="text-button" onClick={() => session.unqueue(message.id)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface SendNowProps {
  session: OpenSession;
  message: QueuedMessage;
  runs: boolean;
}

/** Sends the message into the running turn after its current call, or otherwise as a new turn. */
function SendNow({ session, message, runs }: SendNowProps) {
  const send = () => {
    if (runs) void session.steer(message);
    else if (session.send(messageOf(message))) session.unqueue(message.id);
  };
  if (runs && message.attachments !== undefined) return null;
  const going = session.isSteered(message.id);
  return (
    <button type="button" class="button soft" disabled={going} onClick={send}>
      {going ? "Sent" : "Send now"}
    </button>
  );
}
