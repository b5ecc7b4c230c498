// Starts the app in the page.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/pages.css";
import "./styles/panes.css";
import "./styles/sessions.css";
import "./styles/forms.css";
import { render } from "preact";
import { App, loadSessionPage } from "./app.tsx";
import { NotLoadedPage } from "./components/not-loaded.tsx";
import { showWhatHides } from "./components/shown-text.ts";
import { ready, startApp } from "./state/app.ts";
import { followViewport } from "./state/keyboard.ts";
import { route } from "./state/route.ts";
import { keepOffline } from "./state/service-worker.ts";

/** Before anybody taps: a session that is opened without a connection needs it. */
const loadSessionCode = () => Promise.all([loadSessionPage(), import("./state/hold-session.ts")]);

const root = document.getElementById("app");
if (root !== null) {
  showWhatHides();
  followViewport();
  render(<App />, root);
  const query = location.search;
  const started = startApp();
  // A session's address waits for its code; before the list, that would only be in its way.
  const first = route.value.page === "session" ? Promise.resolve() : started;
  void first.then(loadSessionCode).catch(() => undefined);
  started.catch(() => {
    // A blank page would say nothing: there is no storage to read, or it does not answer.
    if (!ready.value)
      render(<NotLoadedPage title="Handrail" words="What this device keeps could not be read." />, root);
  });
  void started
    .then(() => import("./state/page-effects.ts"))
    .then(({ beginPageEffects }) => beginPageEffects(query))
    .catch(() => undefined);
  keepOffline();
}
