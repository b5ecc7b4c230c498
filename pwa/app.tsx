// Puts pages on the screen: one at a time on a phone, the list beside a page from 900 px, the changes beside a session from 1,280.
import { paired, ready, records, unauthorized } from "./app/app-state.ts";
import { type Route, route } from "./browser/route.ts";
import { hasThirdPane, isWide } from "./browser/screen.ts";
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
  // A token that is not taken any more must not hide what can be read: only the list asks for a new one.
  const asks =
    !paired.value && (records.value.length === 0 || (unauthorized.value && at.page === "sessions"));
  if (asks) return <PairPage />;
  const actions = sheet.value?.kind === "actions" && <ActionsSheet open={sheet.value} />;
  const wide = isWide.value;
  const beside = wide && hasThirdPane.value && (at.page === "session" || at.page === "changes");
  const shown: Route = beside ? { page: "session", id: at.id } : at;
  // Keys: a tablet that is turned keeps its page, and the sheet that is open over it.
  return (
    <div class={beside ? "panes wide three" : wide ? "panes wide" : "panes"}>
      {wide && <SessionsPage key="list" />}
      {wide && at.page === "sessions" ? <Nothing key="page" /> : <Page key="page" route={shown} />}
      {beside && <ChangesPage key={at.id} id={at.id} beside asked={at.page === "changes"} />}
      {actions}
      {sheet.value?.kind === "bin" && <BinSheet />}
    </div>
  );
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
