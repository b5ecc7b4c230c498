// Begins a session from a forge for which this device has a token: it lists repositories, by their last change or by
// name, and issues.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ForgeIssue, ForgeRepository } from "../../shared/forge.ts";
import { inWords } from "../app/app-state.ts";
import { branches, forges, issues, keptHosts, keptToken, repositories } from "../app/forge.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { workOnIssue } from "../words/fix-message.ts";
import "../styles/forge.css";
import { Problem } from "../components/problem.tsx";

interface ForgeRepositoriesProps {
  busy: boolean;
  /** `text` is the text with which the composer opens. */
  onPick(session: { git: string; ref?: string; text?: string }): void;
}

const pauseMs = 300;
/** A list of this length can still be scrolled with a thumb. */
const mostBranches = 30;

export function ForgeRepositories({ busy, onPick }: ForgeRepositoriesProps) {
  const hosts = useSignal<readonly string[]>([]);
  const host = useSignal("");
  useEffect(() => {
    const kept = keptHosts().catch(() => []);
    // Includes the forges for which the server has a token.
    const signedIn = forges().then(
      (list) => list.flatMap((one) => (one.signedIn ? [one.host] : [])),
      () => [],
    );
    void Promise.all([kept, signedIn]).then((found) => {
      hosts.value = [...new Set(found.flat())];
      host.value = hosts.value[0] ?? "";
    });
  }, []);
  if (host.value === "") return null;
  return (
    <section class="forge-repositories">
      <h2>From {host.value}</h2>
      {hosts.value.length > 1 && (
        <div class="segments" role="radiogroup" aria-label="Forge">
          {hosts.value.map((one) => (
            <label key={one} class={host.value === one ? "on" : ""}>
              <input
                type="radio"
                name="forge"
                checked={host.value === one}
                onChange={() => (host.value = one)}
              />
              {one}
            </label>
          ))}
        </div>
      )}
      <Found key={host.value} host={host.value} busy={busy} onPick={onPick} />
    </section>
  );
}

function Found({ host, busy, onPick }: ForgeRepositoriesProps & { host: string }) {
  const text = useSignal("");
  const list = useSignal<{ for: string; items: readonly ForgeRepository[]; next: number | null } | null>(
    null,
  );
  const open = useSignal<string | null>(null);
  const problem = useSignal<string | null>(null);
  const wanted = text.value.trim();
  const look = async (page: number) => {
    problem.value = null;
    try {
      const found = await repositories(host, wanted, page, await keptToken(host));
      // Ignore the answer if the person has typed something else in the meantime.
      if (text.value.trim() !== wanted) return;
      const before = page === 1 ? [] : (list.value?.items ?? []);
      list.value = { for: wanted, items: [...before, ...found.repositories], next: found.next };
    } catch (error) {
      problem.value = inWords(error).message;
    }
  };
  useEffect(() => {
    const timer = setTimeout(() => void look(1), wanted === "" ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const pick = (repository: ForgeRepository, { issue, ref }: { issue?: ForgeIssue; ref?: string } = {}) => {
    onPick({ git: repository.url, ...(ref && { ref }), ...(issue && { text: workOnIssue(issue) }) });
  };
  const turn = (what: string) => {
    open.value = open.value === what ? null : what;
  };
  const next = list.value?.next ?? null;
  return (
    <>
      <label class="field">
        <span class="muted">Search your repositories</span>
        <input
          type="search"
          class="answer-text"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <Problem words={problem.value} />
      {list.value === null && problem.value === null && <p class="muted">Looking…</p>}
      {list.value?.items.length === 0 && <p class="muted">Nothing with that name that this token may see.</p>}
      <div class="choices">
        {list.value?.items.map((repository) => (
          <div key={repository.path} class="place">
            <button type="button" class="choice" disabled={busy} onClick={() => pick(repository)}>
              <b>{oneLineOf(repository.path)}</b>
              <span class="muted">
                {repository.isPrivate ? "private" : "public"}
                {repository.about !== "" && ` · ${repository.about}`}
              </span>
            </button>
            <button
              type="button"
              class="text-button place-mode"
              aria-expanded={open.value === repository.path}
              onClick={() => turn(repository.path)}
            >
              Work on an issue
              <span class="chevron" aria-hidden="true" />
            </button>
            {open.value === repository.path && (
              <Issues
                host={host}
                repository={repository.path}
                busy={busy}
                onPick={(issue) => pick(repository, { issue })}
              />
            )}
            <button
              type="button"
              class="text-button place-mode"
              aria-expanded={open.value === `${repository.path} branches`}
              onClick={() => turn(`${repository.path} branches`)}
            >
              A branch other than {oneLineOf(repository.defaultBranch)}
              <span class="chevron" aria-hidden="true" />
            </button>
            {open.value === `${repository.path} branches` && (
              <Branches
                host={host}
                repository={repository.path}
                busy={busy}
                onPick={(ref) => pick(repository, { ref })}
              />
            )}
          </div>
        ))}
      </div>
      {next !== null && (
        <button type="button" class="button soft" onClick={() => void look(next)}>
          More
        </button>
      )}
    </>
  );
}

interface PartsProps<T> {
  host: string;
  repository: string;
  busy: boolean;
  onPick(one: T): void;
}

function Branches({ host, repository, busy, onPick }: PartsProps<string>) {
  const text = useSignal("");
  const list = useSignal<readonly string[] | null>(null);
  const problem = useSignal<string | null>(null);
  const wanted = text.value.trim();
  useEffect(() => {
    let left = false;
    const timer = setTimeout(
      () => {
        keptToken(host)
          .then((token) => branches(host, repository, wanted, token))
          .then(
            (found) => {
              if (!left) list.value = found.branches;
            },
            (error: unknown) => (problem.value = inWords(error).message),
          );
      },
      wanted === "" ? 0 : pauseMs,
    );
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [host, repository, wanted]);
  if (problem.value !== null) return <p class="problem">{problem.value}</p>;
  return (
    <>
      <input
        type="search"
        class="answer-text"
        aria-label={`Search the branches of ${repository}`}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {list.value === null && <p class="muted">Looking…</p>}
      {list.value?.length === 0 && <p class="muted">No branch with that name.</p>}
      <ul class="pull-list" aria-label={`Branches of ${repository}`}>
        {list.value?.slice(0, mostBranches).map((name) => (
          <li key={name}>
            <button type="button" class="button soft" disabled={busy} onClick={() => onPick(name)}>
              {oneLineOf(name)}
            </button>
          </li>
        ))}
      </ul>
      {(list.value?.length ?? 0) > mostBranches && <p class="muted">There are more: search for one.</p>}
    </>
  );
}

function Issues({ host, repository, busy, onPick }: PartsProps<ForgeIssue>) {
  const list = useSignal<readonly ForgeIssue[] | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    keptToken(host)
      .then((token) => issues(host, repository, "", token))
      .then(
        (found) => (list.value = found.issues),
        (error: unknown) => (problem.value = inWords(error).message),
      );
  }, [host, repository]);
  if (problem.value !== null) return <p class="problem">{problem.value}</p>;
  if (list.value === null) return <p class="muted">Looking…</p>;
  if (list.value.length === 0) return <p class="muted">No open issues.</p>;
  return (
    <ul class="pull-list" aria-label={`Issues of ${repository}`}>
      {list.value.map((issue) => (
        <li key={issue.number}>
          <span>
            <span class="muted">#{issue.number}</span> {oneLineOf(issue.title)}
          </span>
          <button type="button" class="button soft" disabled={busy} onClick={() => onPick(issue)}>
            Work on #{issue.number}
          </button>
        </li>
      ))}
    </ul>
  );
}
