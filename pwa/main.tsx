// Starts the app in the page.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/pages.css";
import "./styles/transcript.css";
import "./styles/sheets.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { startApp } from "./state/app.ts";
import { followViewport } from "./state/keyboard.ts";
import { keepOffline } from "./state/service-worker.ts";

const root = document.getElementById("app");
if (root !== null) {
  followViewport();
  render(<App />, root);
  void startApp();
  keepOffline();
}
