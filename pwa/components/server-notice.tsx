// The server does not answer, or answers again: said where somebody looks, without a tap.
import { server } from "../app/server-watch.ts";
import { unansweredInWords } from "../turn/connection.ts";

export function ServerNotice() {
  const state = server.value;
  if (state.kind === "answers") return null;
  return (
    <p class="notice" role="status">
      <span>
        {state.kind === "back"
          ? "Your server is back."
          : `${unansweredInWords(state)} Nothing is lost; the app keeps trying.`}
      </span>
    </p>
  );
}
