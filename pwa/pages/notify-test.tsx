// Settings: one notification that is sent to this device, and its receipt.
import { lastTest, sendTest, type Test } from "../app/notifications.ts";
import { clockInWords } from "../turn/connection.ts";

export function NotifyTest() {
  const words = testInWords(lastTest.value);
  return (
    <div class="buttons">
      <button
        type="button"
        class="button soft"
        disabled={lastTest.value?.is === "sending"}
        onClick={() => void sendTest()}
      >
        Send a test
      </button>
      <p class="muted" role="status">
        {words}
      </p>
    </div>
  );
}

function testInWords(sent: Test): string {
  switch (sent?.is) {
    case "sending":
      return "Sending…";
    case "sent":
      return "The push service has it. Waiting for it to arrive…";
    case "lost":
      return "The push service has it, but it has not arrived. Look whether the system lets this browser notify you, and whether a battery saver or Do Not Disturb is on.";
    case "arrived":
      return `Arrived ${clockInWords(sent.at, Date.now())}`;
    default:
      return "";
  }
}
