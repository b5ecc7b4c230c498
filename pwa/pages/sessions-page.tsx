// The list of sessions: state in words, the rail's mark, one button to begin.
import { useSignal } from "@preact/signals";
import { momentInWords } from "../components/elapsed.tsx";
import { Icon, Mark } from "../components/icon.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { RailMark } from "../components/rail-mark.tsx";
import { createSession, inWords, paired, records } from "../state/app.ts";
import { isWide } from "../state/keyboard.ts";
import { go, route } from "../state/route.ts";
import type { SessionRecord } from "../storage/session-record.ts";

export function SessionsPage() {
  const search = useSignal<string | null>(null);
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  const needle = (search.value ?? "").trim().toLowerCase();
  const shown = records.value.filter((record) => matches(record, needle));
  const create = async () => {
    busy.value = true;
    problem.value = null;
    try {
      go({ page: "session", id: await createSession() });
    } catch (error) {
      problem.value = inWords(error).message;
    } finally {
      busy.value = false;
    }
  };
  // Beside another page it is not what the screen is about.
  const beside = isWide.value && (route.value.page === "session" || route.value.page === "changes");
  const Frame = isWide.value ? "section" : "main";
  return (
    <Frame class="page sessions" aria-label="Sessions">
      <header class="home-head">
        <Mark size={30} />
        <h1>Handrail</h1>
        <button
          type="button"
          class="icon-button"
          aria-label="Search"
          aria-pressed={search.value !== null}
          onClick={() => {
            search.value = search.value === null ? "" : null;
          }}
        >
          <Icon name="search" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Settings"
          onClick={() => go({ page: "settings" })}
        >
          <Icon name="settings" />
        </button>
      </header>
      {search.value !== null && (
        <div class="search">
          <input
            type="search"
            placeholder="Search sessions"
            aria-label="Search sessions"
            autofocus
            value={search.value}
            onInput={(event) => {
              search.value = event.currentTarget.value;
            }}
          />
        </div>
      )}
      <div class="page-scroll">
        {shown.length === 0 ? (
          <p class="page-words muted">
            {needle === ""
              ? "No sessions yet. A session is one piece of work on one repository."
              : "No session has these words."}
          </p>
        ) : (
          <ul class="session-list">
            {shown.map((record) => (
              <SessionLine key={record.id} record={record} />
            ))}
          </ul>
        )}
      </div>
      <footer class="bar">
        {problem.value !== null && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        <button
          type="button"
          class={beside ? "button soft wide" : "button go wide"}
          disabled={busy.value || !paired.value}
          onClick={() => void create()}
        >
          {busy.value ? "Preparing a workspace…" : "New session"}
        </button>
      </footer>
    </Frame>
  );
}

function SessionLine({ record }: { record: SessionRecord }) {
  const { page } = route.value;
  const here = (page === "session" || page === "changes") && route.value.id === record.id;
  return (
    <li>
      <a
        href={`#/s/${record.id}`}
        class={`session-line ${record.summary.mark}`}
        aria-current={here ? "page" : undefined}
      >
        <RailMark mark={record.summary.mark} />
        <span class="session-words">
          <span class="session-title">{record.title}</span>
          <span class="session-state">
            <InlineCode text={record.summary.text} />
          </span>
          <span class="session-place">
            {record.workspace}
            {record.demo && " · Scripted demo"}
          </span>
        </span>
        <span class="time">{momentInWords(record.updatedAt, Date.now())}</span>
      </a>
    </li>
  );
}

function matches(record: SessionRecord, needle: string): boolean {
  return (
    needle === "" ||
    `${record.title} ${record.workspace} ${record.summary.text}`.toLowerCase().includes(needle)
  );
}
