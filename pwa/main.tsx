// Starts the app in the page.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/pages.css";
import "./styles/notices.css";
import "./styles/panes.css";
import "./styles/sessions.css";
import "./styles/session-swipe.css";
import "./styles/forms.css";
import { render } from "preact";
import { startApp } from "./app/app.ts";
import { ready } from "./app/app-state.ts";
import { App, loadSessionPage } from "./app.tsx";
import { loadCode, reloadFailedStyles } from "./browser/load-code.ts";
import { route } from "./browser/route.ts";
import { followViewport } from "./browser/screen.ts";
import { keepOffline } from "./browser/service-worker.ts";
import { NotLoadedPage } from "./components/not-loaded.tsx";
import { showWhatHides } from "./components/shown-text.ts";
import { NewerFormat } from "./storage/format.ts";

/** Loaded before any tap, because a session that is opened without a connection needs it. */
const loadSessionCode = () => Promise.all([loadSessionPage(), import("./session/hold-session.ts")]);

const root = document.getElementById("app");
if (root !== null) {
  showWhatHides();
  reloadFailedStyles();
  followViewport();
  render(<App />, root);
  const query = location.search;
  const started = startApp();
  // A page for a session's address waits for the session's code. For the list, loading it first would only delay the
  // list.
  const first = route.value.page === "session" ? Promise.resolve() : started;
  void first.then(loadSessionCode).catch(() => undefined);
  started.catch((error: unknown) => {
    // Shown instead of a blank page if storage is missing, does not answer, or belongs to another version.
    const words = error instanceof NewerFormat ? error.message : "What this device keeps could not be read.";
    if (!ready.value) render(<NotLoadedPage title="Handrail" words={words} />, root);
  });
  void started
    .then(() => loadCode(() => import("./app/page-effects.ts")))
    .then(({ beginPageEffects }) => beginPageEffects(query))
    .catch(() => undefined);
  keepOffline(() => loadCode(() => import("./app/install.ts")).then((module) => module.watchForUpdates()));
}
