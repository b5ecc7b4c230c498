// The server does not answer, or answers again: said where somebody looks, without a tap.
import { server } from "../app/server-watch.ts";
import { clockInWords } from "../turn/connection.ts";

export function ServerNotice() {
  const state = server.value;
  if (state.kind === "answers") return null;
  return (
    <p class="notice" role="status">
      <span>
        {state.kind === "back"
          ? "Your server is back."
          : `Your server does not answer. Last heard ${clockInWords(state.since, Date.now())}. Nothing is lost; it is asked again by itself.`}
      </span>
    </p>
  );
}
