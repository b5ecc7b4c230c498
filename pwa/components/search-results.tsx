// The results of a search over all sessions: each session once, with the text around its newest match.
import { useEffect } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import { kv, records } from "../app/app-state.ts";
import { heardOf } from "../app/listed-sessions.ts";
import { type SearchHit, search, searchResult, searchWords } from "../app/search.ts";
import { opensActions } from "../browser/sheet.ts";
import { scrollTarget } from "../session/scroll-target.ts";
import { momentInWords } from "./elapsed.tsx";
import { RailMark } from "./rail-mark.tsx";
import { oneLineOf } from "./shown-text.ts";

export function SearchResults({ needle }: { needle: string }) {
  useEffect(() => {
    const over = new AbortController();
    void search(kv, records.value, needle, over.signal);
    return () => over.abort();
  }, [needle, records.value]);
  const { words, found, left } = searchResult.value;
  const current = words === needle;
  return (
    <>
      <p class="visually-hidden" role="status">
        {current && left === 0 && `${plural(found.length, "session")} found`}
      </p>
      {current && found.length > 0 && (
        <ul class="session-list">
          {found.map((each) => (
            <FoundLine key={each.record.id} found={each} words={searchWords(needle)} />
          ))}
        </ul>
      )}
      {(!current || found.length === 0 || left > 0) && (
        <p class="page-words muted">
          {!current || left > 0 ? "Searching…" : "No message contains these words."}
        </p>
      )}
    </>
  );
}

function FoundLine({
  found: { record, place, count },
  words,
}: {
  found: SearchHit;
  words: readonly string[];
}) {
  const { mark } = heardOf(record);
  return (
    <li>
      <a
        href={`#/s/${record.id}`}
        class={`session-line ${mark}`}
        onContextMenu={opensActions(record.id)}
        onClick={() => {
          if (place === null) return;
          const { turnId, id, who } = place;
          scrollTarget.value = { to: "found", session: record.id, turnId, id, who, words };
        }}
      >
        <RailMark mark={mark} />
        <span class="session-words">
          <span class="session-title">{oneLineOf(record.title)}</span>
          {place !== null && (
            <span class="found">
              {place.who}: {place.before}
              <mark>{place.match}</mark>
              {place.after}
            </span>
          )}
          <span class="session-place">
            {oneLineOf(record.workspace)}
            {record.archived && " · Archived"}
            {count > 1 && ` · ${plural(count, "message")}`}
          </span>
        </span>
        <span class="time">{momentInWords(record.updatedAt, Date.now())}</span>
      </a>
    </li>
  );
}
