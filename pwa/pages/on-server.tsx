// Below the list: sessions that are on the server but not on this device. A tap opens one.
import { useEffect, useState } from "preact/hooks";
import type { SessionOnServer } from "../../shared/history.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords, paired, records } from "../app/app-state.ts";
import { go } from "../browser/route.ts";
import { momentInWords } from "../components/elapsed.tsx";
import { Problem } from "../components/problem.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { fetchSession, sessionsElsewhere } from "../transfer/fetch-session.ts";

/** This many fit on a phone's screen; a tap shows the others. */
const shownAtFirst = 5;

/** The list is read this often while it is visible: other devices begin sessions too. */
const everyMs = 30_000;

const stateInWords: Record<SessionOnServer["state"], string> = {
  new: "New",
  running: "Running",
  failed: "Failed",
  stop: "Idle",
  stopped: "Stopped",
  proposed: "Waits for you: a plan",
  questions: "Waits for you: questions",
  permission: "Waits for you: permission",
  continue: "Paused",
};

export function OnServer() {
  const [found, setFound] = useState<readonly SessionOnServer[]>([]);
  const [all, setAll] = useState(false);
  const [fetching, setFetching] = useState<{ id: string; words: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const count = records.value.length;
  useEffect(() => {
    let over = new AbortController();
    const look = () => {
      over.abort();
      over = new AbortController();
      if (!paired.value || document.visibilityState === "hidden") return;
      // If the server cannot be asked, the list already says so.
      sessionsElsewhere(over.signal).then(setFound, () => undefined);
    };
    look();
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      over.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [count, paired.value]);
  if (found.length === 0) return null;
  const open = async (one: SessionOnServer) => {
    setProblem(null);
    setFetching({ id: one.sandboxId, words: "Fetching…" });
    try {
      const id = await fetchSession(one, (entries) =>
        setFetching({ id: one.sandboxId, words: `Fetching… ${plural(entries, "entry", "entries")}` }),
      );
      go({ page: "session", id });
    } catch (error) {
      setProblem(inWords(error).message);
    } finally {
      setFetching(null);
    }
  };
  return (
    <section class="on-server" aria-label="On this server">
      <h2>On this server</h2>
      <Problem words={problem} />
      <ul>
        {(all ? found : found.slice(0, shownAtFirst)).map((one) => (
          <li key={one.sandboxId}>
            <button
              type="button"
              class="server-line"
              disabled={fetching !== null}
              onClick={() => void open(one)}
            >
              <span class="session-words">
                <span class="session-title">{oneLineOf(one.title)}</span>
                <span class="session-state">
                  {fetching?.id === one.sandboxId ? fetching.words : stateInWords[one.state]}
                </span>
                <span class="session-place">{oneLineOf(one.workspace)}</span>
              </span>
              <span class="time">{momentInWords(one.updatedAt, Date.now())}</span>
            </button>
          </li>
        ))}
      </ul>
      {!all && found.length > shownAtFirst && (
        <button type="button" class="text-button archived" onClick={() => setAll(true)}>
          Show all {found.length}
        </button>
      )}
    </section>
  );
}
