// Chooses where a new session works (the served folder, a recent repository, or one by its address) and how it begins.
import "../styles/sheets.css";
import "../styles/new-session.css";
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Mode } from "../../shared/mode.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { changeSettings, config, paired, records, refreshConfig, settings } from "../app/app-state.ts";
import { createSession, hasWorktrees, type NewSession, rememberMode } from "../app/create-session.ts";
import { forgetShared, shared } from "../app/shared-text.ts";
import { loadCode } from "../browser/load-code.ts";
import { go, goBack } from "../browser/route.ts";
import { Header } from "../components/header.tsx";
import { lazy } from "../components/lazy.tsx";
import { Problem } from "../components/problem.tsx";
import { linkTarget } from "../markdown/link-target.ts";
import { modeMeanings } from "../words/mode-words.ts";
import { addressIn, plainAddress, recentRepositories, repositoryName } from "../words/repository.ts";

const ForgeRepositories = lazy(
  () => import("./forge-repositories.tsx").then((module) => module.ForgeRepositories),
  "nothing",
);

const EngineChoice = lazy(
  () => import("./engine-choice.tsx").then((module) => module.EngineChoice),
  "nothing",
);

const modes: readonly [Mode, string][] = [
  ["normal", "Normal"],
  ["plan", "Plan"],
  ["auto", "Auto"],
];

export function NewSessionPage() {
  const text = shared.value;
  const sharedAddress = text === null ? undefined : addressIn(text);
  // A field shows its text as it is, so characters that would be invisible there are written out.
  const address = useSignal(visibleText(sharedAddress ?? "", "line"));
  const ref = useSignal("");
  const problem = useSignal<string | null>(null);
  const busy = useSignal<string | null>(null);
  /** The place in the queue for a sandbox. */
  const place = useSignal<number | null>(null);
  const [left] = useState(() => new AbortController());
  useEffect(() => {
    void refreshConfig();
    return () => left.abort();
  }, []);
  const typed = addressIn(address.value);
  const host = typed !== undefined && URL.canParse(typed) ? linkTarget(typed, typed) : undefined;
  const begin = async (what: string, session: NewSession) => {
    busy.value = what;
    problem.value = null;
    try {
      const { withKeptToken } = await loadCode(() => import("../app/forge.ts"));
      const wanted = {
        ...session,
        ...(session.git !== undefined && { git: await withKeptToken(session.git) }),
        ...(text && !sharedAddress && session.text === undefined && { text: visibleText(text) }),
      };
      const onPlace = (number: number) => {
        place.value = number;
      };
      const id = await createSession(wanted, { onPlace, over: left.signal });
      if (left.signal.aborted) return;
      if (text !== null) await forgetShared();
      go({ page: "session", id }, "replace");
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
      // A repository that was used before may need a token: fill in its address, so that the person can type one.
      if (session.git !== undefined) address.value ||= plainAddress(session.git);
      busy.value = null;
      place.value = null;
    }
  };
  return (
    <main class="page">
      <Header title="New session" onBack={() => goBack({ page: "sessions" })} />
      <div class="page-scroll new-session">
        {text !== null && (
          <section>
            <h2>Shared with Handrail</h2>
            <blockquote class="shared">{text}</blockquote>
            <p class="muted">
              {sharedAddress === undefined
                ? "It goes into the new session's message. Nothing is sent before you do."
                : "This is the address of a repository: it is filled in below."}
            </p>
            <button type="button" class="text-button" onClick={() => void forgetShared()}>
              Discard it
            </button>
          </section>
        )}
        {!paired.value && <p class="problem">This device is not paired.</p>}
        <section class="choices" aria-label="Where it works">
          <Served busy={busy.value} onPick={() => void begin("", {})} />
          {recentRepositories(records.value).map(({ git, ref: branch }) => (
            <Place
              key={`${git} ${branch}`}
              title={repositoryName(git)}
              words={`A fresh clone${branch === undefined ? "" : ` of ${branch}`} · ${git}`}
              repository={git}
              busy={busy.value}
              onPick={() => void begin(git, { git, ref: branch })}
            />
          ))}
        </section>
        {(config.value?.sandbox.engines?.length ?? 0) > 1 && <EngineChoice />}
        <ForgeRepositories
          busy={busy.value !== null}
          onPick={(session) => void begin(session.git, session)}
        />
        <form
          id="clone"
          class="clone"
          // The browser's URL field accepts neither git@HOST:PATH nor an address without https://.
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (typed !== undefined) void begin(typed, { git: typed, ref: ref.value.trim() });
          }}
        >
          <h2>Another repository</h2>
          <label class="field">
            <span class="muted">Address for git</span>
            <input
              type="url"
              inputMode="url"
              placeholder="https://github.com/you/app"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={address.value}
              onInput={(event) => (address.value = event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span class="muted">Branch or tag, if not the default</span>
            <input
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={ref.value}
              onInput={(event) => (ref.value = event.currentTarget.value)}
            />
          </label>
          {address.value !== "" && typed === undefined && (
            <p class="quiet">An address begins with https://, ssh:// or git@.</p>
          )}
          {host !== undefined && host !== "" && (
            <p role="status">
              It is cloned from <code>{host}</code>.
            </p>
          )}
          {typed !== undefined && <ModeChoice repository={plainAddress(typed)} />}
          <p class="quiet">
            For a private repository: https://USER:TOKEN@HOST/PATH. The token goes to your server for this
            clone and is not kept here.
          </p>
        </form>
      </div>
      <footer class="bar">
        <Problem words={problem.value} />
        <p class="bar-words" role="status">
          {busy.value !== null &&
            place.value !== null &&
            `All sandboxes are in use. You are number ${place.value} in line; leave this page to give up the place.`}
          {busy.value !== null &&
            place.value === null &&
            busy.value !== "" &&
            "Cloning. It can take a while; after 20 seconds you see how far it is."}
        </p>
        <button
          type="submit"
          form="clone"
          class="button go wide"
          disabled={typed === undefined || busy.value !== null || !paired.value}
        >
          {busy.value ? "Cloning…" : "Clone and begin"}
        </button>
      </footer>
    </main>
  );
}

function Served({ busy, onPick }: { busy: string | null; onPick(): void }) {
  const workspace = config.value?.workspace;
  const engines = config.value?.sandbox.engines ?? [];
  const engine = engines.find(({ name }) => name === settings.value.engine) ?? engines[0];
  // A guest is another machine, so the server's folder does not exist there.
  const sample = workspace?.kind === "sample" || (engine !== undefined && engine.name !== "here");
  return (
    <Place
      title={sample ? "The sample project" : (workspace?.name ?? "The folder that is served")}
      words={
        sample ? "A fresh copy: nothing can break there" : "The folder on your machine itself, as it is now"
      }
      repository=""
      busy={busy}
      onPick={onPick}
    />
  );
}

interface PlaceProps {
  title: string;
  words: string;
  repository: string;
  busy: string | null;
  onPick(): void;
}

function Place({ title, words, repository, busy, onPick }: PlaceProps) {
  const mode = settings.value.modes?.[repository] ?? "normal";
  const open = useSignal(false);
  return (
    <div class="place">
      <button type="button" class="choice" disabled={busy !== null || !paired.value} onClick={onPick}>
        <b>{title}</b>
        <span class="muted">{busy === repository ? "Preparing…" : words}</span>
      </button>
      <button
        type="button"
        class="text-button place-mode"
        aria-expanded={open.value}
        aria-label={`${title} begins in ${mode} mode: change`}
        onClick={() => (open.value = !open.value)}
      >
        Begins in {mode} mode
        <span class="chevron" aria-hidden="true" />
      </button>
      {open.value && <ModeChoice repository={repository} />}
      {open.value && repository === "" && hasWorktrees() && <WorktreeChoice />}
    </div>
  );
}

const worktreeWords = {
  shared: "A git worktree of its own if another session uses the folder and nothing is uncommitted there.",
  always: "Always a git worktree of its own, on a branch of its own; its work comes back with “Bring back”.",
  never: "Always the folder itself, together with other sessions.",
};

function WorktreeChoice() {
  const chosen = settings.value.worktrees ?? "shared";
  const names = { shared: "Automatic", always: "Worktree", never: "Folder" } as const;
  return (
    <div class="mode-choice">
      <div class="segments" role="radiogroup" aria-label="Where its files are">
        {(["shared", "always", "never"] as const).map((which) => (
          <label key={which} class={chosen === which ? "on" : ""}>
            <input
              type="radio"
              name="worktrees"
              checked={chosen === which}
              onChange={() => void changeSettings({ worktrees: which === "shared" ? undefined : which })}
            />
            {names[which]}
          </label>
        ))}
      </div>
      <p class="quiet">{worktreeWords[chosen]}</p>
    </div>
  );
}

/** The mode in which sessions of this repository begin. */
function ModeChoice({ repository }: { repository: string }) {
  const chosen = settings.value.modes?.[repository] ?? "normal";
  return (
    <div class="mode-choice">
      <div class="segments" role="radiogroup" aria-label="Mode in which its sessions begin">
        {modes.map(([mode, name]) => (
          <label key={mode} class={chosen === mode ? "on" : ""}>
            <input
              type="radio"
              name={`mode ${repository}`}
              checked={chosen === mode}
              onChange={() => void rememberMode(repository, mode)}
            />
            {name}
          </label>
        ))}
      </div>
      <p class="quiet">
        Begins in {chosen} mode: {modeMeanings[chosen]}
      </p>
    </div>
  );
}
