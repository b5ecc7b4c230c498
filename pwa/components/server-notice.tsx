// Says without a tap that the server does not respond, that it responds again, or that one of its model keys does not
// work.
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

/** Problems with the keys or addresses of model providers. */
function KeyNotice() {
  const problems = (config.value?.providers ?? []).flatMap(({ problem }) => problem ?? []);
  if (problems.length === 0) return null;
  return (
    <p class="notice bad" role="alert">
      <span>{problems.join(" ")}</span>
    </p>
  );
}
