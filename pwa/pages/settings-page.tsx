// Settings: this app, the server and its models, and the data on this device. Most sections are files of their own.
import "../styles/settings.css";
import { useEffect, useState } from "preact/hooks";
import { changeSettings, config, paired, refreshConfig, setTheme, settings } from "../app/app-state.ts";
import { pair, pairingProblem } from "../app/pairing.ts";
import { signOut } from "../app/sign-out.ts";
import { goBack } from "../browser/route.ts";
import { isWide } from "../browser/screen.ts";
import { UnkeptNotice } from "../components/app-notices.tsx";
import { Header } from "../components/header.tsx";
import { ModelChoice } from "../components/model-choice.tsx";
import { Pane } from "../components/pane.tsx";
import { Problem } from "../components/problem.tsx";
import type { Theme } from "../storage/settings.ts";
import { ForgesSection } from "./forges-section.tsx";
import { HelpersSection } from "./helpers-section.tsx";
import { InstallSection } from "./install-section.tsx";
import { MalformedSection } from "./malformed-section.tsx";
import { McpSection } from "./mcp-section.tsx";
import { NotifySection } from "./notify-section.tsx";
import { tokenFrom } from "./pair-page.tsx";
import { ReviewerSection } from "./reviewer-section.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { SpendingSection } from "./spending-section.tsx";
import { StorageSection } from "./storage-section.tsx";
import { TransferSection } from "./transfer-section.tsx";

const themes: readonly [Theme, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** `beside` means that the page is shown beside a session. */
export function SettingsPage({ beside = false }: { beside?: boolean }) {
  const [sure, setSure] = useState(false);
  useEffect(() => {
    void refreshConfig();
  }, []);
  return (
    <Pane beside={beside} name="Settings">
      <Header title="Settings" onBack={() => goBack({ page: "sessions" })} />
      {!isWide.value && <UnkeptNotice />}
      <div class="page-scroll settings">
        <h2>This app</h2>
        <SettingsSection title="Appearance">
          <div class="segments" role="radiogroup" aria-label="Theme">
            {themes.map(([theme, name]) => (
              <label key={theme} class={settings.value.theme === theme ? "on" : ""}>
                <input
                  type="radio"
                  name="theme"
                  checked={settings.value.theme === theme}
                  onChange={() => setTheme(theme)}
                />
                {name}
              </label>
            ))}
          </div>
          <label class="switch">
            <input
              type="checkbox"
              checked={settings.value.keepAwake !== false}
              onChange={(event) => void changeSettings({ keepAwake: event.currentTarget.checked })}
            />
            Keep the screen on while I watch a running turn
          </label>
        </SettingsSection>
        <InstallSection />
        <NotifySection />
        <ForgesSection />
        <McpSection />
        <Server />
        <h2>What is kept here</h2>
        {/* Storage answers late, so its section comes last and moves nothing under a finger. */}
        <TransferSection />
        <StorageSection />
        <SettingsSection
          title="This device"
          why="Signing out forgets the token, keys, drafts and every session that is kept here. What the agent changed stays where it is. Export first what you want to keep."
        >
          <p>
            {paired.value
              ? "Paired with the server that this page comes from."
              : "Not paired: what is stored here can still be read."}
          </p>
          <PairAgain />
          <button
            type="button"
            class="button soft bad"
            onClick={() => (sure ? void signOut() : setSure(true))}
          >
            {sure ? "Delete everything here: tap again" : "Sign out"}
          </button>
        </SettingsSection>
      </div>
    </Pane>
  );
}

function Server() {
  const known = config.value;
  if (known === null) {
    return (
      <>
        <h2>Server</h2>
        <SettingsSection title="No answer">
          <p class="muted">The server does not answer. You can still read your sessions.</p>
        </SettingsSection>
        <SpendingSection />
        <MalformedSection />
      </>
    );
  }
  const { isolation, readonlyExec, engines } = known.sandbox;
  return (
    <>
      <h2>Model and cost</h2>
      <SettingsSection title="Model" why="The default for new sessions. To change one session, tap its name.">
        <ModelChoice
          name="Model of new sessions"
          chosen={settings.value.model}
          onPick={(model) => void changeSettings({ model })}
        />
        {known.providers[0]?.demo && (
          <p class="muted">
            No model is configured: a script plays one. It shows how a session goes, but does not think.
          </p>
        )}
        {known.providers
          .filter(({ demo }) => !demo)
          .map((provider) => (
            <KeyField key={provider.id} id={provider.id} label={provider.label} />
          ))}
      </SettingsSection>
      <SettingsSection
        title="Plans"
        why="A plan that starts fresh keeps plan, answers, your words and the project's instructions, and leaves behind what was read for it: each request costs less. You keep the whole history."
      >
        <label class="switch">
          <input
            type="checkbox"
            checked={settings.value.freshAtHalf !== false}
            onChange={(event) => void changeSettings({ freshAtHalf: event.currentTarget.checked })}
          />
          Start a plan fresh if more than half of the context is used
        </label>
      </SettingsSection>
      <HelpersSection />
      <ReviewerSection />
      <SpendingSection />
      <MalformedSection />
      <h2>Server</h2>
      <SettingsSection title="Sandbox">
        <p>
          <b>
            {isolation === "bubblewrap"
              ? "Commands run in a jail (bubblewrap)"
              : "Commands run without a jail"}
          </b>
          <br />
          <span class="muted">
            {readonlyExec === "os"
              ? "In plan mode the operating system itself keeps them from writing."
              : "In plan mode only commands from a short list of harmless ones may run."}
            {engines !== undefined &&
              " A session in a sandbox of its own says so itself, under Allowed and taken out."}
          </span>
        </p>
      </SettingsSection>
    </>
  );
}

/** A person's own key for a provider. It is kept on this device and sent with their turns. */
function KeyField({ id, label }: { id: string; label: string }) {
  const key = settings.value.keys?.[id] ?? "";
  const set = (value: string) => {
    const { [id]: _old, ...others } = settings.value.keys ?? {};
    void changeSettings({ keys: value === "" ? others : { ...others, [id]: value } });
  };
  return (
    <label class="field">
      <span class="muted">
        Your own key for {label}: kept on this device, sent with your turns, never stored by the server
      </span>
      <input
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="The server's own key is used"
        defaultValue={key}
        onChange={(event) => set(event.currentTarget.value.trim())}
      />
    </label>
  );
}

function PairAgain() {
  const [text, setText] = useState("");
  return (
    <details>
      <summary>Pair with another token</summary>
      <form
        class="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") void pair(tokenFrom(text)).then((taken) => taken && setText(""));
        }}
      >
        <label class="field">
          <span class="muted">Token or link</span>
          <input
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button soft" disabled={text.trim() === ""}>
          Pair
        </button>
        <Problem words={pairingProblem.value} />
      </form>
    </details>
  );
}
