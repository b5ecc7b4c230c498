// Starts the app in the page.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/pages.css";
import "./styles/sessions.css";
import "./styles/forms.css";
import { render } from "preact";
import { App, loadSessionPage } from "./app.tsx";
import { startApp } from "./state/app.ts";
import { followViewport } from "./state/keyboard.ts";
import { keepOffline } from "./state/service-worker.ts";

const root = document.getElementById("app");
if (root !== null) {
  followViewport();
  render(<App />, root);
  const query = location.search;
  void startApp()
    .then(() => import("./state/page-effects.ts"))
    .then(({ beginPageEffects }) => beginPageEffects(query))
    .catch(() => undefined);
  void loadSessionPage().catch(() => undefined);
  keepOffline();
}
