// The list of sessions, which says in words what each one is about and what state it is in.
import { signal, useSignal } from "@preact/signals";
import { paired, records } from "../app/app-state.ts";
import { heardOf, isUnread, listedSessions, pickedState } from "../app/listed-sessions.ts";
import { loadCode } from "../browser/load-code.ts";
import { go } from "../browser/route.ts";
import { hasKeyboard, isWide } from "../browser/screen.ts";
import { sessionInView } from "../browser/session-in-view.ts";
import { opensActions } from "../browser/sheet.ts";
import { momentInWords } from "../components/elapsed.tsx";
import { Icon, Mark } from "../components/icon.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { lazy } from "../components/lazy.tsx";
import { Problem } from "../components/problem.tsx";
import { RailMark } from "../components/rail-mark.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import type { SessionRecord } from "../storage/session-record.ts";

const SearchResults = lazy(() =>
  import("../components/search-results.tsx").then((module) => module.SearchResults),
);
const BinLink = lazy(() => import("../components/bin-link.tsx").then((module) => module.BinLink), "nothing");
const StateFilter = lazy(
  () => import("../components/state-filter.tsx").then((module) => module.StateFilter),
  "nothing",
);
const HomeNotices = lazy(
  () => import("../components/home-notices.tsx").then((module) => module.HomeNotices),
  "nothing",
);

const OnServer = lazy(() => import("./on-server.tsx").then((module) => module.OnServer), "nothing");

/** What is searched for; null while the search is closed. It stays open beside a result, and in a wider window. */
const search = signal<string | null>(null);

/** Not an inline function: Preact would call a new one, and focus the field, on every rendering. */
function focusOnce(field: HTMLInputElement | null): void {
  if (search.value === "") field?.focus();
}

export function SessionsPage() {
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  const archived = useSignal(false);
  const needle = (search.value ?? "").trim();
  const put = records.value.filter((record) => record.archived === true);
  const shown = archived.value ? put : listedSessions.value;
  const create = async () => {
    busy.value = true;
    problem.value = null;
    try {
      const { createSession } = await loadCode(() => import("../app/create-session.ts"));
      go({ page: "session", id: await createSession() });
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      busy.value = false;
    }
  };
  // Beside another page, the list is not the page's main content.
  const beside = isWide.value && sessionInView() !== null;
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
            placeholder="Search everything said"
            aria-label="Search everything said"
            ref={focusOnce}
            value={search.value}
            onInput={(event) => {
              search.value = event.currentTarget.value;
            }}
          />
        </div>
      )}
      <HomeNotices />
      <div class="page-scroll">
        {needle !== "" ? (
          <SearchResults needle={needle} />
        ) : (
          <>
            {!archived.value && <StateFilter />}
            {shown.length === 0 &&
              (archived.value || pickedState.value !== null ? (
                <p class="page-words muted">{archived.value ? "Nothing is archived." : "None right now."}</p>
              ) : (
                <NoSessions />
              ))}
            <ul class="session-list">
              {shown.map((record) => (
                <SessionLine key={record.id} record={record} />
              ))}
            </ul>
            {!archived.value && <OnServer />}
            <BinLink />
            {(put.length > 0 || archived.value) && (
              <button
                type="button"
                class="text-button archived"
                onClick={() => (archived.value = !archived.value)}
              >
                {archived.value ? "Back to all sessions" : `Archived (${put.length})`}
              </button>
            )}
          </>
        )}
      </div>
      <footer class="bar">
        <Problem words={problem.value} />
        <div class="actions">
          <button
            type="button"
            class={isWide.value ? "button soft grow" : "button soft"}
            aria-label="Begin in another repository"
            onClick={() => go({ page: "new" })}
          >
            Repository…
          </button>
          <button
            type="button"
            class={beside ? "button soft grow" : "button go grow"}
            disabled={busy.value || !paired.value}
            onClick={() => void create()}
          >
            {busy.value ? "Preparing…" : "New session"}
          </button>
        </div>
      </footer>
    </Frame>
  );
}

function NoSessions() {
  return (
    <div class="page-words none-yet">
      <h2>No sessions yet</h2>
      <p class="muted">
        A session is one piece of work on one repository: say what you want, answer what it asks, approve its
        plan, and look again when you like.
      </p>
    </div>
  );
}

/** A swipe to the left shows the session's actions; with a mouse, a right click does. */
export function SessionLine({ record }: { record: SessionRecord }) {
  const here = sessionInView() === record.id;
  const title = oneLineOf(record.title);
  const { mark, text } = heardOf(record);
  const word = record.archived ? "Unarchive" : "Archive";
  const toggle = async () => {
    const { archive } = await loadCode(() => import("../app/session-actions.ts"));
    await archive(record, record.archived !== true);
  };
  return (
    <li class="swipes">
      <a
        href={`#/s/${record.id}`}
        class={`session-line ${mark}`}
        aria-current={here ? "page" : undefined}
        onContextMenu={opensActions(record.id)}
      >
        <RailMark mark={mark} />
        <span class="session-words">
          <span class="session-title">{title}</span>
          <span class="session-state">
            <InlineCode text={text} />
          </span>
          {record.unsent && !here ? (
            <span class="session-place unsent">
              <b>Draft</b> {oneLineOf(record.unsent)}
            </span>
          ) : (
            <span class="session-place">
              {oneLineOf(record.workspace)}
              {record.demo && " · Scripted demo"}
            </span>
          )}
        </span>
        <span class="time">
          {momentInWords(record.updatedAt, Date.now())}
          {isUnread(record) && !here && <b> Unread</b>}
        </span>
      </a>
      {!hasKeyboard.value && (
        <>
          <button type="button" aria-label={`More: ${title}`} onClick={opensActions(record.id)}>
            More
          </button>
          <button type="button" aria-label={`${word}: ${title}`} onClick={() => void toggle()}>
            {word}
          </button>
        </>
      )}
    </li>
  );
}
