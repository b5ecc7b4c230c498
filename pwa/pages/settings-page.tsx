// Settings: pairing, theme, what serves the model, isolation, storage, malformed calls per model.
import { useEffect, useState } from "preact/hooks";
import { Header } from "../components/header.tsx";
import { config, kv, refreshConfig, setTheme, settings, signOut } from "../state/app.ts";
import { goBack } from "../state/route.ts";
import { type MalformedCounts, readMalformed, type Theme } from "../storage/settings.ts";
import { SpendingSection } from "./spending-section.tsx";

const themes: readonly [Theme, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function SettingsPage() {
  const [sure, setSure] = useState(false);
  useEffect(() => {
    void refreshConfig();
  }, []);
  return (
    <main class="page">
      <Header title="Settings" onBack={() => goBack({ page: "sessions" })} />
      <div class="page-scroll settings">
        <section>
          <h2>Look</h2>
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
        </section>
        <Server />
        <SpendingSection />
        <Storage />
        <Malformed />
        <section>
          <h2>This device</h2>
          <p>Paired. Signing out forgets the token and every session that is kept here.</p>
          <button
            type="button"
            class="button soft bad"
            onClick={() => (sure ? void signOut() : setSure(true))}
          >
            {sure ? "Forget everything here: tap again" : "Sign out"}
          </button>
        </section>
      </div>
    </main>
  );
}

function Server() {
  const known = config.value;
  if (known === null) {
    return (
      <section>
        <h2>Server</h2>
        <p class="muted">The server does not answer. Sessions can be read all the same.</p>
      </section>
    );
  }
  const { isolation, readonlyExec } = known.sandbox;
  return (
    <>
      <section>
        <h2>Model</h2>
        {known.providers.map((provider) => (
          <p key={provider.id}>
            <b>{provider.demo ? "Scripted demo" : provider.label}</b>
            <br />
            <span class="muted">
              {provider.demo
                ? "No model is configured: a script plays one. It shows the way, but does not think."
                : provider.models.map((model) => model.id).join(", ")}
            </span>
          </p>
        ))}
      </section>
      <section>
        <h2>Sandbox</h2>
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
          </span>
        </p>
      </section>
    </>
  );
}

function Storage() {
  const [words, setWords] = useState("");
  useEffect(() => {
    void storageInWords().then(setWords);
  }, []);
  return (
    <section>
      <h2>Storage on this device</h2>
      <p>{words}</p>
    </section>
  );
}

async function storageInWords(): Promise<string> {
  // Missing on plain http, whatever the types say.
  const storage: StorageManager | undefined = navigator.storage;
  if (storage === undefined) return "This browser tells nothing about its storage here.";
  const { usage = 0 } = await storage.estimate();
  const kept = (await storage.persisted())
    ? "The browser keeps it until you delete it."
    : "The browser may clear it when space runs short. On the home screen it is safer.";
  return `${usage < 1e6 ? "Less than 1 MB" : `${(usage / 1e6).toFixed(1)} MB`} used. ${kept}`;
}

function Malformed() {
  const [counts, setCounts] = useState<MalformedCounts>({});
  useEffect(() => {
    void readMalformed(kv).then(setCounts);
  }, []);
  const models = Object.entries(counts);
  return (
    <section>
      <h2>Malformed calls</h2>
      {models.length === 0 ? (
        <p class="muted">No model has made one yet.</p>
      ) : (
        models.map(([model, { repaired, returned }]) => (
          <p key={model}>
            <b>{model}</b>
            <br />
            <span class="muted">
              {repaired} repaired, {returned} sent back
            </span>
          </p>
        ))
      )}
    </section>
  );
}
