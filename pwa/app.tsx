// Renders the pages: one at a time on a phone, the list beside a page from 900 px, and a third pane from 1,280 px.
import type { ComponentProps } from "preact";
import { paired, ready, records, settings, unauthorized } from "./app/app-state.ts";
import { type Route, route } from "./browser/route.ts";
import { hasKeyboard, hasThirdPane, isWide } from "./browser/screen.ts";
import { sessionInView } from "./browser/session-in-view.ts";
import { sheet } from "./browser/sheet.ts";
import { lazy } from "./components/lazy.tsx";
import { PairPage } from "./pages/pair-page.tsx";
import { SessionsPage } from "./pages/sessions-page.tsx";

const SessionPage = lazy(() => loadSessionPage().then((module) => module.SessionPage), "page");
const SettingsPage = lazy(
  () => import("./pages/settings-page.tsx").then((module) => module.SettingsPage),
  "page",
);
const FilesPage = lazy(() => import("./pages/files-page.tsx").then((module) => module.FilesPage), "page");
const NewSessionPage = lazy(
  () => import("./pages/new-session-page.tsx").then((module) => module.NewSessionPage),
  "page",
);
const Splitter = lazy(() => import("./desktop/splitter.tsx").then((module) => module.Splitter));
const Desk = lazy(() => import("./desktop/desk.tsx").then((module) => module.Desk));
const ActionsSheet = lazy(() => import("./sheets/actions-sheet.tsx").then((module) => module.ActionsSheet));
const BinSheet = lazy(() => import("./sheets/bin-sheet.tsx").then((module) => module.BinSheet));
const ChangesPage = lazy(
  () => import("./pages/changes-page.tsx").then((module) => module.ChangesPage),
  "page",
);

export function loadSessionPage() {
  return import("./pages/session-page.tsx");
}

export function App() {
  if (!ready.value) return null;
  const at = route.value;
  // If this device has sessions, only the list asks for a new token: they must stay readable with a rejected one.
  const asks =
    !paired.value && (records.value.length === 0 || (unauthorized.value && at.page === "sessions"));
  if (asks) return <PairPage />;
  const actions = sheet.value?.kind === "actions" && <ActionsSheet open={sheet.value} />;
  const wide = isWide.value;
  const id = sessionInView();
  const three = wide && hasThirdPane.value && id !== null;
  const { panes } = settings.value;
  // A pane that the person asked for is shown even if it was folded.
  const beside = three && (panes?.sideOff !== true || at.page !== "session");
  const shown: Route = three ? { page: "session", id } : at;
  const listOff = wide && panes?.listOff === true;
  const folded = `${listOff ? " no-list" : ""}${three && !beside ? " no-side" : ""}`;
  const px = (name: string, width: number | undefined) =>
    width === undefined ? "" : `--${name}: ${width}px;`;
  // Keys keep a page mounted when a tablet is turned, together with the sheet that is open over it.
  return (
    <div
      class={`${three ? "panes wide three" : wide ? "panes wide" : "panes"}${folded}`}
      style={wide ? px("list", panes?.list) + px("side", panes?.side) : undefined}
    >
      {wide && !listOff && <SessionsPage key="list" />}
      {wide && <PaneLine key="list-line" pane="list" folded={listOff} />}
      {wide && at.page === "sessions" ? <Nothing key="page" /> : <Page key="page" route={shown} />}
      {three && <PaneLine key="side-line" pane="side" folded={!beside} />}
      {beside && <Side route={at} id={id} />}
      {actions}
      {sheet.value?.kind === "bin" && <BinSheet />}
      {hasKeyboard.value && <Desk />}
    </div>
  );
}

/** An empty element keeps the pane's place while its code is loaded. */
function PaneLine(line: ComponentProps<typeof Splitter>) {
  return (
    <section class="pane-line" aria-label={line.pane === "list" ? "Width of the list" : "Width of the side"}>
      <Splitter {...line} />
    </section>
  );
}

/** The page that is opened beside a session; the session stays where it is. */
function Side({ route: at, id }: { route: Route; id: string }) {
  switch (at.page) {
    case "files":
      return <FilesPage key={id} id={id} path={at.path} beside />;
    case "settings":
      return <SettingsPage beside />;
    default:
      return <ChangesPage key={id} id={id} beside asked={at.page === "changes"} />;
  }
}

function Page({ route: at }: { route: Route }) {
  switch (at.page) {
    case "sessions":
      return <SessionsPage />;
    case "session":
      return <SessionPage key={at.id} id={at.id} />;
    case "changes":
      return <ChangesPage key={at.id} id={at.id} />;
    case "files":
      return <FilesPage key={at.id} id={at.id} path={at.path} />;
    case "settings":
      return <SettingsPage />;
    case "new":
      return <NewSessionPage />;
  }
}

function Nothing() {
  return (
    <main class="page nothing">
      <p class="muted">Pick a session, or begin a new one.</p>
    </main>
  );
}
