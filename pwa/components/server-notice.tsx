// The server does not answer, or answers again, or has a key that does not work: said where somebody looks, without a tap.
import { config } from "../app/app-state.ts";
import { server } from "../app/server-watch.ts";
import { unansweredInWords } from "../turn/connection.ts";

export function ServerNotice() {
  const state = server.value;
  if (state.kind === "answers") return <KeyNotice />;
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

/** A problem with the model providers. */
function KeyNotice() {
  const problems = (config.value?.providers ?? []).flatMap(({ problem }) => problem ?? []);
  if (problems.length === 0) return null;
  return (
    <p class="notice bad" role="alert">
      <span>{problems.join(" ")}</span>
    </p>
  );
}
